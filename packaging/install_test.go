package packaging_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// archive is a release whose binary says its version.
func archive(t *testing.T, version string) []byte {
	t.Helper()
	binary := []byte("#!/bin/sh\necho aguiws " + version + "\n")
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	for _, err := range []error{
		w.WriteHeader(&tar.Header{Name: "aguiws", Mode: 0o755, Size: int64(len(binary))}),
		func() error { _, err := w.Write(binary); return err }(),
		w.Close(), z.Close(),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

// releases serves one release as GitHub does, with the checksums that are given.
func releases(t *testing.T, version string, packed []byte, checksums string) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/latest", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/tag/v"+version, http.StatusFound)
	})
	mux.HandleFunc("/tag/v"+version, func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("/download/v"+version+"/SHA256SUMS", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, checksums) })
	mux.HandleFunc("/download/v"+version+"/"+archiveName(version), func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(packed) })
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	return srv.URL
}

func archiveName(version string) string {
	return "aguiws_" + version + "_" + runtime.GOOS + "_" + runtime.GOARCH + ".tar.gz"
}

func TestInstall(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("install.sh is for Linux and macOS")
	}
	for _, tool := range []string{"sh", "tar", "gzip", "awk"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	if _, err := exec.LookPath("curl"); err != nil {
		if _, err := exec.LookPath("wget"); err != nil {
			t.Skip("neither curl nor wget is here")
		}
	}
	const version = "1.2.3"
	packed := archive(t, version)
	right := fmt.Sprintf("%x  %s\n", sha256.Sum256(packed), archiveName(version))
	other := fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte("another")), archiveName(version))
	for name, c := range map[string]struct {
		checksums string
		args      []string
		wants     string // of what it says; "" if it installs
	}{
		"the newest":             {right, nil, ""},
		"a named one":            {right, []string{version}, ""},
		"named as its tag":       {right, []string{"v" + version}, ""},
		"another checksum":       {other, nil, "nothing was installed"},
		"checksums of others":    {strings.ReplaceAll(right, "aguiws_", "other_"), nil, "does not name " + archiveName(version)},
		"a name that is longer":  {strings.ReplaceAll(right, ".tar.gz", ".tar.gz.sbom.json"), nil, "does not name"},
		"two checksums":          {right + other, nil, "is not what it should be"},
		"no checksums":           {"", nil, "does not name"},
		"a version that is none": {right, []string{"9.9.9"}, "cannot be had"},
		"no version":             {right, []string{"main"}, "name a version"},
	} {
		t.Run(name, func(t *testing.T) {
			bin := filepath.Join(t.TempDir(), "bin")
			install := exec.Command("sh", append([]string{"install.sh"}, c.args...)...)
			install.Env = append(os.Environ(), "AGUIWS_BIN="+bin, "AGUIWS_FROM="+releases(t, version, packed, c.checksums), "NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1")
			said, err := install.CombinedOutput()
			if c.wants == "" {
				told, ran := exec.Command(filepath.Join(bin, "aguiws"), "version").Output()
				if err != nil || ran != nil || string(told) != "aguiws "+version+"\n" {
					t.Fatalf("%v, %v: %s%s", err, ran, said, told)
				}
				return
			}
			if err == nil || !strings.Contains(string(said), c.wants) {
				t.Errorf("%v: %s", err, said)
			}
			if _, err := os.Stat(filepath.Join(bin, "aguiws")); err == nil {
				t.Error("it installed")
			}
		})
	}
}
