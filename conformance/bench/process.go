package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aguiws/aguiws/conformance/bench/drive"
	"github.com/redis/go-redis/v9"
)

// bench is what samples are taken with.
type bench struct {
	self    string // this command
	folder  string // for what is built and stored
	rivals  map[string][]string
	missing map[string]string // rivals that cannot be had, with the reason
}

// prepare builds the rivals that samples need.
func prepare(ctx context.Context, samples []sample, progress io.Writer) (*bench, error) {
	b := &bench{rivals: map[string][]string{}, missing: map[string]string{}}
	var err error
	if _, err := exec.LookPath("redis-server"); err != nil {
		return nil, err
	}
	if b.self, err = os.Executable(); err != nil {
		return nil, err
	}
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/aguiws/aguiws").Output()
	if err != nil {
		return nil, fmt.Errorf("run it in the module: %w", err)
	}
	root := strings.TrimSpace(string(out))
	if b.folder, err = os.MkdirTemp("", "aguiws-bench"); err != nil {
		return nil, err
	}
	needed := func(rival string) bool {
		return slices.ContainsFunc(samples, func(s sample) bool { return s.needs == rival })
	}
	for _, name := range []string{"centrifuge", "gosdk"} {
		if !needed(name) {
			continue
		}
		if why := b.build(ctx, filepath.Join(root, "conformance/bench/rivals", name), name); why != nil {
			b.missing[name] = why.Error()
			fmt.Fprintf(progress, "%s is not run: %v\n", name, why)
		}
	}
	if !needed("node") {
		return b, nil
	}
	packages := filepath.Join(root, "conformance/foreign/node")
	node, err := exec.LookPath("node")
	if err == nil {
		_, err = os.Stat(filepath.Join(packages, "node_modules/@ag-ui/encoder"))
	}
	if err != nil {
		b.missing["node"] = fmt.Sprintf("%v; npm ci --prefix conformance/foreign/node has its packages", err)
		fmt.Fprintln(progress, "node is not run:", b.missing["node"])
	}
	b.rivals["node"] = []string{node, filepath.Join(root, "conformance/bench/rivals/node/server.mjs"), packages}
	return b, nil
}

// build builds a rival's module on copies of its go.mod and go.sum, which may have to
// follow this module's dependencies.
func (b *bench) build(ctx context.Context, folder, name string) error {
	for _, file := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(folder, file))
		if err == nil {
			err = os.WriteFile(filepath.Join(b.folder, name+strings.TrimPrefix(file, "go")), text, 0o644)
		}
		if err != nil {
			return err
		}
	}
	binary := filepath.Join(b.folder, name)
	cmd := exec.CommandContext(ctx, "go", "build", "-mod=mod", "-modfile="+binary+".mod", "-o", binary, ".")
	cmd.Dir = folder
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w: %s", err, out)
	}
	b.rivals[name] = []string{binary}
	return nil
}

func (b *bench) close() { _ = os.RemoveAll(b.folder) }

// process is a child that is told what to do on its standard input, and ends with it.
type process struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	addr string // the first line that it said
}

// start starts this command in a role, or a rival.
func (b *bench) start(ctx context.Context, kind string, args ...string) (*process, error) {
	command, env := b.rivals[kind], os.Environ()
	if command == nil {
		command, env = []string{b.self}, append(env, roleVariable+"="+kind)
	}
	p := &process{cmd: exec.CommandContext(ctx, command[0], append(command[1:len(command):len(command)], args...)...)}
	p.cmd.Env, p.cmd.Stderr = env, os.Stderr
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReaderSize(out, 1<<20)
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	text, err := p.out.ReadString('\n')
	if err != nil {
		p.end()
		return nil, fmt.Errorf("%s said nothing: %w", kind, err)
	}
	p.addr = strings.TrimSpace(text)
	return p, nil
}

// ask has a command answered.
func (p *process) ask(command string, answer any) error {
	if _, err := fmt.Fprintln(p.in, command); err != nil {
		return err
	}
	text, err := p.out.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("%s: %w", command, err)
	}
	var failed struct {
		Error string `json:"error"`
	}
	if err := json.Unmarshal(text, &failed); err != nil {
		return err
	}
	if failed.Error != "" {
		return errors.New(failed.Error)
	}
	return json.Unmarshal(text, answer)
}

func (p *process) used() (u drive.Usage, err error) { return u, p.ask("use", &u) }

func (p *process) end() {
	_ = p.in.Close()
	kill := time.AfterFunc(5*time.Second, func() { _ = p.cmd.Process.Kill() })
	_ = p.cmd.Wait()
	kill.Stop()
}

// redisServer is a private redis-server.
type redisServer struct {
	*redis.Client
	addr string
	cmd  *exec.Cmd
	dir  string
}

// startRedis starts one with appendfsync as named, or with no AOF when it is "none".
func (b *bench) startRedis(ctx context.Context, fsync string) (*redisServer, error) {
	dir, err := os.MkdirTemp(b.folder, "redis")
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	_ = l.Close()
	args := []string{"--port", port, "--bind", "127.0.0.1", "--save", "", "--dir", dir, "--logfile", filepath.Join(dir, "log"), "--appendonly", "no"}
	if fsync != "none" {
		args = append(args, "--appendonly", "yes", "--appendfsync", fsync, "--auto-aof-rewrite-percentage", "0")
	}
	r := &redisServer{addr: "127.0.0.1:" + port, dir: dir, cmd: exec.Command("redis-server", args...)}
	if err := r.cmd.Start(); err != nil {
		return nil, err
	}
	r.Client = redis.NewClient(&redis.Options{Addr: r.addr})
	for until := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if err = r.Ping(ctx).Err(); err == nil {
			return r, nil
		}
		if time.Now().After(until) || ctx.Err() != nil {
			r.end()
			return nil, err
		}
	}
}

func (r *redisServer) end() {
	_ = r.Close()
	_ = r.cmd.Process.Kill()
	_ = r.cmd.Wait()
	_ = os.RemoveAll(r.dir)
}

// info are INFO's numbers.
func (r *redisServer) info(ctx context.Context) (info, error) {
	text, err := r.Info(ctx, "all").Result()
	if err != nil {
		return nil, err
	}
	numbers := info{}
	for l := range strings.Lines(text) {
		k, v, _ := strings.Cut(strings.TrimSpace(l), ":")
		if n, err := strconv.ParseFloat(v, 64); err == nil {
			numbers[k] = n
		}
	}
	return numbers, nil
}

type info map[string]float64

func (i info) cpu() float64 { return (i["used_cpu_user"] + i["used_cpu_sys"]) * 1e6 }

// work is what the processor has been busy with since the machine started, and could have
// been; nothing where the kernel does not tell.
type work struct{ busy, all float64 }

func machine() work {
	text, _ := os.ReadFile("/proc/stat")
	l, _, _ := strings.Cut(string(text), "\n")
	var w work
	for i, word := range strings.Fields(l) {
		if i == 0 || i > 8 {
			continue
		}
		n, _ := strconv.ParseFloat(word, 64)
		w.all += n
		if i != 4 && i != 5 { // idle, and waiting for a disk
			w.busy += n
		}
	}
	return w
}

// since is the share that was busy.
func (w work) since(then work) float64 {
	if w.all == then.all {
		return 0
	}
	return (w.busy - then.busy) / (w.all - then.all)
}

// meter reads what a server and its Redis have used, before and after.
type meter struct {
	ctx   context.Context
	p     *process
	redis *redisServer // or nil
	used  drive.Usage
	info  info
	own   info // what reading itself takes of the Redis
}

func (b *bench) meter(ctx context.Context, p *process, r *redisServer) (*meter, error) {
	m := &meter{ctx: ctx, p: p, redis: r, own: info{}}
	if err := m.read(); err != nil {
		return nil, err
	}
	// What else goes on falls into some readings.
	for again := range 3 {
		first := m.info
		if err := m.read(); err != nil {
			return nil, err
		}
		for name, v := range m.info {
			if took := v - first[name]; again == 0 || took < m.own[name] {
				m.own[name] = took
			}
		}
	}
	return m, nil
}

func (m *meter) read() (err error) {
	if m.redis != nil {
		if m.info, err = m.redis.info(m.ctx); err != nil {
			return err
		}
	}
	m.used, err = m.p.used()
	return err
}

// each is what has been used since the last reading, for each of n.
func (m *meter) each(n int) (figures, error) {
	was, wasInfo := m.used, m.info
	if err := m.read(); err != nil {
		return nil, err
	}
	of := float64(n)
	f := figures{
		serverCPU: float64(m.used.CPU-was.CPU) / of,
		allocated: float64(m.used.Bytes-was.Bytes) / of,
		objects:   float64(m.used.Objects-was.Objects) / of,
	}
	if m.redis != nil {
		since := func(name string) float64 { return (m.info[name] - wasInfo[name] - m.own[name]) / of }
		f[redisCPU] = (m.info.cpu() - wasInfo.cpu() - m.own.cpu()) / of
		f[commands] = since("total_commands_processed")
		f[toRedis], f[fromRedis] = since("total_net_input_bytes"), since("total_net_output_bytes")
	}
	return f, nil
}

// Names of figures. Where it matters they are for each event, cycle or call.
const (
	rate      = "events/s"
	serverCPU = "server CPU us"
	redisCPU  = "Redis CPU us"
	clientCPU = "client CPU us"
	allocated = "allocated B"
	objects   = "allocated objects"
	commands  = "Redis commands"
	toRedis   = "to Redis B"
	fromRedis = "from Redis B"
	p50       = "p50 us"
	p99       = "p99 us"
	resident  = "resident B"
	others    = "others %"
)

// elsewhere is the share of the machine, in percent, that was busy with what took none of
// the measured CPU, within so many us.
func elsewhere(busy, measured, within float64) float64 {
	return 100 * max(0, busy-measured/within/float64(runtime.NumCPU()))
}
