"""The client as programs use it, against a server of the demo agent."""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import subprocess
import sys
import threading
import unittest
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, AsyncIterator, Awaitable, Callable

import websockets
from websockets.exceptions import ConnectionClosed

import aguiws
from network import Network, record_frames

URL = os.environ["AGUIWS_URL"]  # of the socket
GUARDED = os.environ["AGUIWS_GUARDED"]  # of a server whose only token is TOKEN
EFFECTS = Path(os.environ["AGUIWS_EFFECTS"])
ROOT = Path(__file__).resolve().parents[2]
TOKEN = "the token of the lane"
PATIENCE = 60.0  # also on a machine that does much else
QUICK = aguiws.Options(backoff_min=0.001, backoff_max=0.02)

record_frames()


def base(url: str) -> str:
    return url.replace("ws://", "http://").removesuffix("/agui/ws")


def effects(tool: str) -> int:
    lines = EFFECTS.read_text().splitlines() if EFFECTS.exists() else []
    return sum(json.loads(line)["tool"] == tool for line in lines)


def last_words(view: aguiws.View) -> str:
    return str(view.messages[-1]["content"])


def yes(end: aguiws.JSON) -> list[aguiws.JSON]:
    return [aguiws.resolve(i, {"approved": True}) for i in aguiws.asked(end)]


HELLO = json.dumps(
    {"type": "ws.hello", "binding": "agui.v1", "profiles": ["resume"], "heartbeatMs": 25000, "maxFrameBytes": 4 << 20, "durable": True, "capabilities": {}}
)


@asynccontextmanager
async def serving(talk: Callable[[Any], Awaitable[None]]) -> AsyncIterator[str]:
    """A server that says what the test says, and its address."""
    server: Any = websockets.serve(talk, "127.0.0.1", 0, subprotocols=[aguiws.SUBPROTOCOL])  # type: ignore
    async with server as listening:
        yield f"ws://127.0.0.1:{list(listening.sockets)[0].getsockname()[1]}/"


class Sync(unittest.TestCase):
    def setUp(self) -> None:
        self.name = self._testMethodName
        self.client = self.closed(aguiws.Client(URL, options=QUICK))

    def closed(self, client: aguiws.Client) -> aguiws.Client:
        self.addCleanup(client.close)
        return client

    def test_run_to_the_end(self) -> None:
        thread = self.client.follow(self.name, timeout=PATIENCE)
        with thread.subscribe() as updates:
            run = thread.say("/say One word after another.")
            told = []
            for update in updates:
                if update.event is not None:
                    told.append(update.event)
                    if update.event["type"] == "RUN_FINISHED":
                        break
        self.assertEqual(run.wait(timeout=PATIENCE), told[-1])
        said = "".join(e["delta"] for e in told if e["type"] == "TEXT_MESSAGE_CONTENT")
        self.assertEqual(said, "One word after another.")
        self.assertEqual(last_words(thread.view()), said)
        self.assertTrue(thread.view().at_rest)
        with self.assertRaises(aguiws.FailedError) as failed:
            thread.say("/fail on purpose").wait(timeout=PATIENCE)
        self.assertEqual(failed.exception.code, "agent_error")

    def test_an_answer_sent_twice_is_executed_once(self) -> None:
        thread = self.client.follow(self.name, timeout=PATIENCE)
        answers = yes(thread.say("/tool twice_sync {}").wait(timeout=PATIENCE))
        self.assertEqual(len(answers), 1)
        ends = [thread.answer(*answers), thread.answer(*answers)]
        other = self.closed(aguiws.Client(URL)).follow(self.name, timeout=PATIENCE)
        ends.append(other.answer(*answers))
        for run in ends:
            self.assertEqual(run.wait(timeout=PATIENCE)["outcome"]["type"], "success")
        self.assertEqual(other.answer(*answers).accepted(timeout=PATIENCE).disposition, "repeat")
        self.assertEqual(effects("twice_sync"), 1)
        with self.assertRaises(aguiws.RefusedError) as refused:
            thread.answer({**answers[0], "payload": {"approved": False}}).wait(timeout=PATIENCE)
        self.assertEqual(refused.exception.code, "interrupt_conflict")
        self.assertEqual(refused.exception.interrupt_ids, [answers[0]["interruptId"]])

    def test_a_question_is_withdrawn(self) -> None:
        thread = self.client.follow(self.name, timeout=PATIENCE)
        end = thread.say("/tool withdrawn {}").wait(timeout=PATIENCE)
        with thread.subscribe() as updates:
            thread.answer(*map(aguiws.withdraw, aguiws.asked(end))).wait(timeout=PATIENCE)
            [decided] = next(filter(None, (aguiws.decisions(u.event) for u in updates if u.event)))
        self.assertEqual((decided["status"], decided["through"]), ("cancelled", "socket"))
        self.assertEqual(effects("withdrawn"), 0)
        self.assertEqual(thread.view().interrupts, [])

    def test_an_input_that_cannot_be_sent(self) -> None:
        thread = self.client.follow(self.name, timeout=PATIENCE)
        with self.assertRaises(aguiws.TooLargeError):
            thread.say("x" * 5_000_000).wait(timeout=PATIENCE)
        for wrong in (float("nan"), "\ud800"):
            with self.assertRaises(ValueError):
                thread.send({"state": wrong})
        with self.assertRaises(aguiws.RefusedError) as refused:
            thread.send({"messages": "none"}).wait(timeout=PATIENCE)
        self.assertEqual(refused.exception.code, "invalid_input")
        thread.say("/say Ünïcode: 你好 🙂").wait(timeout=PATIENCE)
        self.assertEqual(last_words(thread.view()), "Ünïcode: 你好 🙂")

    def test_inputs_wait_and_are_cancelled(self) -> None:
        thread = self.client.follow(self.name, timeout=PATIENCE)
        first = thread.say("/slow 1000 60000")
        self.assertEqual(first.accepted(timeout=PATIENCE).disposition, "started")
        second, third = thread.say("/say second"), thread.say("/say third")
        for run in (second, third):
            self.assertEqual(run.accepted(timeout=PATIENCE).disposition, "queued")
        self.assertEqual([q["runId"] for q in thread.view().queued], [second.run_id, third.run_id])
        self.assertTrue(second.cancel(timeout=PATIENCE))
        self.assertEqual(second.wait(timeout=PATIENCE)["outcome"]["type"], "cancelled")
        self.assertTrue(thread.cancel(first.run_id, timeout=PATIENCE))
        self.assertEqual(first.wait(timeout=PATIENCE)["outcome"]["type"], "cancelled")
        self.assertEqual(third.wait(timeout=PATIENCE)["outcome"]["type"], "success")
        self.assertEqual(last_words(thread.view()), "third")
        self.assertFalse(thread.cancel(first.run_id, timeout=PATIENCE))

    def test_a_slow_reader_holds_a_bounded_number(self) -> None:
        narrow = self.closed(aguiws.Client(URL, options=aguiws.Options(buffer=8)))
        reading = narrow.follow(self.name, timeout=PATIENCE)
        asking = self.client.follow(self.name, timeout=PATIENCE)
        with reading.subscribe() as updates:
            end = asking.say("/slow 400 1").wait(timeout=PATIENCE)
            wanted = asking.view().position
            assert wanted is not None
            inside = updates._subscription._updates
            self.assertLessEqual(len(inside), 8)
            first = updates.next(timeout=PATIENCE)
            self.assertIsNotNone(first.view)
            seqs = []
            for update in updates:
                assert update.event is not None and update.position is not None, update
                self.assertLessEqual(len(inside), 8)
                seqs.append(update.position.seq)
                if update.event == end:
                    break
        self.assertEqual(seqs, list(range(1, wanted.seq + 1)))
        self.assertEqual(reading.await_view(lambda v: v.at_rest, timeout=PATIENCE).messages, asking.view().messages)

    def test_a_window_of_a_long_thread(self) -> None:
        whole = self.client.follow(self.name, timeout=PATIENCE)
        for n in range(4):
            whole.say(f"/say {n}").wait(timeout=PATIENCE)
        short = self.closed(aguiws.Client(URL, options=aguiws.Options(window=2)))
        thread = short.follow(self.name, timeout=PATIENCE)
        self.assertEqual((len(thread.view().messages), thread.view().older), (2, 6))
        thread.older(3, timeout=PATIENCE)
        self.assertEqual(thread.view().older, 3)
        thread.say("/confirm Is it still right?").wait(timeout=PATIENCE)
        thread.older(timeout=PATIENCE)
        self.assertEqual(thread.view().older, 0)
        self.assertEqual(thread.view().messages, whole.await_view(lambda v: len(v.interrupts) == 1, timeout=PATIENCE).messages)

    def test_the_inbox_answers(self) -> None:
        thread = self.client.follow(self.name, timeout=PATIENCE)
        thread.say("/tool inbox_sync {}").wait(timeout=PATIENCE)
        inbox = aguiws.Inbox(base(URL))
        waiting = [w for w in inbox.waiting(tool="inbox_sync") if w.thread == self.name]
        self.assertEqual([i.call["name"] for i in waiting[0].interrupts if i.call], ["inbox_sync"])
        entry = aguiws.resolve(waiting[0].interrupts[0].interrupt, {"approved": True})
        for _ in range(2):
            self.assertEqual(inbox.answer(waiting[0], entry), [])
        thread.await_view(lambda v: v.at_rest and not v.interrupts and last_words(v) == "I have called inbox_sync.", timeout=PATIENCE)
        self.assertEqual(effects("inbox_sync"), 1)
        with self.assertRaises(aguiws.RefusedError) as refused:
            inbox.answer(waiting[0], {**entry, "payload": {"approved": False}})
        self.assertEqual(refused.exception.code, "interrupt_conflict")

    def test_a_payload_by_reference(self) -> None:
        thread = self.client.follow(self.name, timeout=PATIENCE)
        thread.say("/report 50000").wait(timeout=PATIENCE)
        found = [p for m in thread.view().messages if (p := aguiws.payload_in(m.get("content")))]
        self.assertEqual([p.name for p in found], ["report.csv"])
        payloads = aguiws.Payloads(base(URL))
        with payloads.open(found[0].ref) as reader:
            whole = b"".join(reader)
        self.assertEqual(len(whole), found[0].size)
        with payloads.open(found[0].ref, len(whole) - 7) as reader:
            self.assertEqual(b"".join(reader), whole[-7:])
        with self.assertRaises(aguiws.RefusedError) as refused:
            payloads.open(found[0].ref, len(whole) + 1)
        self.assertEqual((refused.exception.status, refused.exception.code), (416, "no_such_range"))

    def test_a_wrong_token(self) -> None:
        calls: list[Callable[[], object]] = [
            lambda: aguiws.Client(GUARDED, token="wrong"),
            lambda: list(aguiws.Inbox(base(GUARDED), token="wrong").waiting()),
            lambda: aguiws.Payloads(base(GUARDED), token="wrong").open("dA.00"),
        ]
        for call in calls:
            with self.assertRaises(aguiws.RefusedError) as refused:
                call()
            self.assertEqual((refused.exception.status, refused.exception.code), (401, "unauthenticated"))
        made = self.closed(aguiws.Client(GUARDED, token=lambda: TOKEN))
        self.assertEqual(made.follow(self.name, timeout=PATIENCE).say("/say in").wait(timeout=PATIENCE)["type"], "RUN_FINISHED")
        self.assertEqual(list(aguiws.Inbox(base(GUARDED), token=TOKEN).waiting()), [])

    def test_closing_ends_all_that_waits(self) -> None:
        client = aguiws.Client(URL)
        thread = client.follow(self.name, timeout=PATIENCE)
        run = thread.say("/slow 1000 60000")
        updates = thread.subscribe()
        with self.assertRaises(TimeoutError):
            run.wait(timeout=0.01)
        errors: list[Exception] = []

        def wait() -> None:
            try:
                run.wait()
            except Exception as err:
                errors.append(err)

        waiting = threading.Thread(target=wait)
        waiting.start()
        client.close()
        client.close()
        waiting.join(PATIENCE)
        self.assertIsInstance(errors[0], aguiws.ClosedError)
        with self.assertRaises(aguiws.ClosedError):
            thread.say("late")
        self.assertEqual([u for u in updates if u.event], [])
        self.assertTrue(self.client.follow(self.name, timeout=PATIENCE).cancel(run.run_id, timeout=PATIENCE))

    def test_nobody_is_there(self) -> None:
        network = Network(URL)
        network.close()
        with self.assertRaises(aguiws.UnreachableError):
            aguiws.Client(network.url)
        with self.assertRaises(aguiws.UnreachableError):
            list(aguiws.Inbox(base(network.url)).waiting())


class Async(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        self.name = self._testMethodName + "_async"
        self.client = await aguiws.AsyncClient(URL, options=QUICK).connect()
        self.addAsyncCleanup(self.client.close)

    async def follow(self, client: aguiws.AsyncClient | None = None) -> aguiws.AsyncThread:
        return await asyncio.wait_for((client or self.client).follow(self.name), PATIENCE)

    async def test_an_answer_sent_twice_is_executed_once(self) -> None:
        thread = await self.follow()
        answers = yes(await thread.say("/tool twice_async {}").wait())
        runs = [thread.answer(*answers), thread.answer(*answers, run_id="mine"), thread.answer(*answers, run_id="mine")]
        for run in runs:
            self.assertEqual((await asyncio.wait_for(run.wait(), PATIENCE))["outcome"]["type"], "success")
        self.assertEqual(effects("twice_async"), 1)

    async def test_a_cut_stream_is_told_whole(self) -> None:
        network = Network(URL)
        self.addCleanup(network.close)
        network.cuts = [3000, 700, 1500, 2500, 900, 4000]
        cut = aguiws.AsyncClient(network.url, options=QUICK)
        await cut.connect()
        self.addAsyncCleanup(cut.close)
        watched, cutting = await self.follow(), await self.follow(cut)
        told: list[list[tuple[aguiws.Position | None, aguiws.JSON]]] = []

        async def listen(updates: aguiws.AsyncSubscription) -> None:
            events = []
            async for update in updates:
                if update.event is None:
                    assert update.reason == "", "the thread was told anew"
                    continue
                events.append((update.position, update.event))
                if update.event["type"] == "RUN_FINISHED":
                    told.append(events)
                    return

        async with watched.subscribe() as one, cutting.subscribe() as other:
            listening = asyncio.gather(listen(one), listen(other))
            end = await asyncio.wait_for(cutting.say("/slow 300 1").wait(), PATIENCE)
            await asyncio.wait_for(listening, PATIENCE)
        self.assertEqual(told[0], told[1])
        self.assertEqual(told[0][-1][1], end)
        self.assertEqual(len({position for position, _ in told[1]}), len(told[1]))
        self.assertEqual(network.cuts, [], "the network was not cut as often as it should be")
        self.assertEqual(cutting.view().messages, watched.view().messages)

    async def test_a_network_that_is_lost_around_an_answer(self) -> None:
        network = Network(URL)
        self.addCleanup(network.close)
        async with aguiws.AsyncClient(network.url, options=QUICK) as client:
            thread = await self.follow(client)
            answers = yes(await asyncio.wait_for(thread.say("/tool lost {}").wait(), PATIENCE))
            network.lose()
            run = thread.answer(*answers)
            await asyncio.wait_for(run.accepted(), PATIENCE)
            network.lose()
            self.assertEqual((await asyncio.wait_for(run.wait(), PATIENCE))["outcome"]["type"], "success")
        self.assertEqual(effects("lost"), 1)

    async def test_cuts_at_random(self) -> None:
        chance = random.Random(1)
        network = Network(URL)
        self.addCleanup(network.close)
        network.cuts = [20_000, *(chance.randint(300, 3000) for _ in range(60))]
        approved = 0

        async def talk(thread: aguiws.AsyncThread) -> None:
            nonlocal approved
            for _ in range(6):
                command = chance.choice(["/say Hello there.", "/slow 30 1", "/tool random {}", "/think Hm."])
                end = await thread.say(command).wait()
                while answers := yes(end):
                    approved += 1
                    end = await thread.answer(*answers).wait()

        async with aguiws.AsyncClient(network.url, options=QUICK) as client:
            threads = [await client.follow(f"{self.name} {n}") for n in range(3)]
            await asyncio.wait_for(asyncio.gather(*map(talk, threads)), PATIENCE)
            for thread in threads:
                whole = await self.client.follow(thread.id)
                held = await asyncio.wait_for(thread.await_view(lambda v: v.at_rest), PATIENCE)
                self.assertEqual(held.as_json(), whole.view().as_json())
        self.assertLess(len(network.cuts), 50, "the network was hardly cut")
        self.assertEqual(effects("random"), approved)

    async def test_a_credential_that_ends(self) -> None:
        came: asyncio.Queue[None] = asyncio.Queue()

        async def revoke(socket: Any) -> None:
            came.put_nowait(None)
            await socket.send(HELLO)
            try:
                await socket.recv()  # what asks to follow
                await socket.close(4401, "revoked")
            except ConnectionClosed:
                pass  # the client was faster

        async with serving(revoke) as url:
            async with aguiws.AsyncClient(url, token=TOKEN, options=QUICK) as client:
                with self.assertRaises(aguiws.StoppedError) as stopped:
                    await asyncio.wait_for(client.follow(self.name), PATIENCE)
                self.assertEqual(stopped.exception.code, 4401)
                self.assertTrue(client.status.stopped)
            self.assertEqual(came.qsize(), 1)
            async with aguiws.AsyncClient(url, token=lambda: TOKEN, options=QUICK) as client:
                following = asyncio.create_task(client.follow(self.name))
                for _ in range(5):
                    await asyncio.wait_for(came.get(), PATIENCE)
                self.assertFalse(client.status.stopped)
            with self.assertRaises(aguiws.ClosedError):
                await following

    async def test_events_that_come_twice_or_too_early(self) -> None:
        listening = asyncio.Event()
        rest = {"epoch": "e", "interrupts": [], "queued": []}

        def event(n: int) -> aguiws.JSON:
            return {"type": "CUSTOM", "name": str(n), "value": n}

        async def stutter(socket: Any) -> None:
            async def send(*frames: aguiws.JSON) -> None:
                for frame in frames:
                    await socket.send(json.dumps(frame if frame["type"] == "CUSTOM" else {"threadId": self.name, **frame}))

            await socket.send(HELLO)
            first = json.loads(await socket.recv())
            await send({"type": "ws.attached", "id": first["id"], "seq": 0, "recovered": False, "reason": "no_position", **rest})
            await send({"type": "ws.live", "seq": 0})
            await listening.wait()
            await send({"type": "ws.stream", "epoch": "e", "seq": 0}, event(1), event(2))
            await send({"type": "ws.stream", "epoch": "e", "seq": 1}, event(2), event(3), {"type": "ws.stream", "epoch": "e", "seq": 4}, event(5))
            second = json.loads(await socket.recv())
            self.assertEqual(second["after"], {"epoch": "e", "seq": 3})
            await send(event(6), {"type": "ws.attached", "id": second["id"], "seq": 3, "recovered": True, **rest})
            await send({"type": "ws.stream", "epoch": "e", "seq": 3}, event(4), event(5), event(6), {"type": "ws.live", "seq": 6})
            await socket.wait_closed()

        async with serving(stutter) as url, aguiws.AsyncClient(url, options=QUICK) as client:
            thread = await self.follow(client)
            async with thread.subscribe() as updates:
                await updates.next()  # what is held
                listening.set()
                seen = [await asyncio.wait_for(updates.next(), PATIENCE) for _ in range(6)]
            told = [(u.position.seq, u.event["value"]) for u in seen if u.event and u.position]
            self.assertEqual(told, [(n, n) for n in range(1, 7)])

    async def test_the_inbox_and_a_payload(self) -> None:
        thread = await self.follow()
        await thread.say("/confirm From the inbox?").wait()
        inbox = aguiws.AsyncInbox(base(URL))
        async for waiting in inbox.waiting():
            if waiting.thread == self.name:
                entry = aguiws.resolve(waiting.interrupts[0].interrupt, {"approved": True})
                self.assertEqual(await inbox.answer(waiting, entry), [])
        await asyncio.wait_for(thread.await_view(lambda v: v.at_rest and not v.interrupts), PATIENCE)
        await asyncio.wait_for(thread.say("/report 20000").wait(), PATIENCE)
        found = [p for m in thread.view().messages if (p := aguiws.payload_in(m.get("content")))]
        async with await aguiws.AsyncPayloads(base(URL)).open(found[0].ref) as reader:
            self.assertEqual(sum([len(part) async for part in reader]), found[0].size)

    async def test_a_token_that_is_awaited(self) -> None:
        asked = 0

        async def token() -> str:
            nonlocal asked
            asked += 1
            return TOKEN if asked > 1 else "wrong"

        with self.assertRaises(aguiws.RefusedError) as refused:
            await aguiws.AsyncClient(GUARDED, token=token).connect()
        self.assertEqual(refused.exception.code, "unauthenticated")
        async with aguiws.AsyncClient(GUARDED, token=token) as client:
            await (await self.follow(client)).say("/say in").wait()
        self.assertEqual([w async for w in aguiws.AsyncInbox(base(GUARDED), token=token).waiting()], [])
        self.assertEqual(asked, 3)

    async def test_all_that_an_agent_says(self) -> None:
        """Leave what the client holds, live and restated, for the Go client to be held against."""
        thread = await self.follow()
        for command in ("/say Hello.", "/think Hm.", "/delegate Go.", "/activity", '/state {"a":[1]}', "/parallel 2", "/report 9", "/frontend f {}"):
            end = await asyncio.wait_for(thread.say(command).wait(), PATIENCE)
            while answers := yes(end):
                end = await asyncio.wait_for(thread.answer(*answers).wait(), PATIENCE)
        async with aguiws.AsyncClient(URL) as other:
            restated = (await self.follow(other)).view()
        live = thread.view()
        self.assertEqual(live.as_json(), restated.as_json())
        self.assertEqual(aguiws.View.from_json(json.loads(json.dumps(live.as_json()))).as_json(), live.as_json())
        Path(os.environ["AGUIWS_HELD"]).write_text(json.dumps({"thread": self.name, "view": live.as_json()}))


class Alone(unittest.TestCase):
    """What needs no server, and the README."""

    def test_answers_are_those_of_the_go_client(self) -> None:
        rows = json.loads((ROOT / "client" / "testdata" / "answers.json").read_text())
        self.assertGreater(len(rows), 20)
        for row in rows:
            with self.subTest(row["name"]):
                found = aguiws.answers_to(row["interrupt"])
                choices = [(c.label, c.payload if c.has_payload else None, c.means) for c in found.choices]
                self.assertEqual(choices, [(c["label"], c.get("payload"), c.get("means", "")) for c in row["choices"]])
                self.assertEqual(found.otherwise, row["otherwise"])
                self.assertEqual(aguiws.question_text(row["interrupt"]), row["text"])

    def test_what_an_agent_says_wrongly_is_left_out(self) -> None:
        told = {"source": {}, "metadata": {"aguiws": {"payload": {"ref": "x", "size": "big", "name": 1}}}}
        self.assertEqual(aguiws.payload_in([1, told]), aguiws.Payload("x"))
        wrong: aguiws.JSON = {"id": "q", "message": 5, "metadata": {"answers": 5}, "responseSchema": []}
        self.assertEqual(aguiws.question_text(wrong), "")
        self.assertEqual(aguiws.answers_to(wrong).otherwise, "any")
        self.assertEqual(aguiws.asked({"type": "RUN_FINISHED", "outcome": {"type": "interrupt", "interrupts": 5}}), [])
        self.assertEqual(aguiws.decisions({"type": "RUN_STARTED", "metadata": []}), [])
        fold = aguiws.Fold([{"id": "m", "role": "user", "content": "Hello."}], {"a": [1]})
        wrongly: list[aguiws.JSON] = [
            {"type": "TEXT_MESSAGE_CONTENT", "messageId": [], "delta": "x"},
            {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": 5},
            {"type": "TOOL_CALL_ARGS", "toolCallId": "nobody's", "delta": "x"},
            {"type": "MESSAGES_SNAPSHOT", "messages": 5},
            {"type": "STATE_DELTA", "delta": [{"op": "replace", "path": "/a/0", "value": 2}, {"op": "test", "path": "/a/0", "value": True}]},
            {"type": "RUN_STARTED"},
        ]
        for event in wrongly:
            with self.assertRaises(ValueError):
                fold.apply(event)
        self.assertEqual((fold.messages, fold.state), ([{"id": "m", "role": "user", "content": "Hello."}], {"a": [1]}))

    def test_examples_of_the_readme(self) -> None:
        readme = (ROOT / "client" / "python" / "README.md").read_text()
        blocks = re.findall(r"^```python\n(.*?)^```\n\n(?:It prints:\n\n```text\n(.*?)^```)?", readme, re.M | re.S)
        self.assertGreaterEqual(len(blocks), 2)
        for code, wanted in blocks:
            code = code.replace("ws://127.0.0.1:8080/agui/ws", URL).replace("http://127.0.0.1:8080", base(URL))
            done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, timeout=PATIENCE)
            self.assertEqual((done.returncode, done.stderr), (0, ""), code)
            self.assertEqual(done.stdout, wanted, code)


if __name__ == "__main__":
    unittest.main()
