"""Two processes around the death of a server. It is called with ask or answer, and a file."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

import aguiws

URL = os.environ["AGUIWS_URL"]
PATIENCE = 120.0


def ask(file: Path) -> None:
    """Ask, say so, and stay until the answer of another process has come to its end."""
    with aguiws.Client(URL) as client:
        thread = client.follow("trip", timeout=PATIENCE)
        end = thread.say("/tool pay {}").wait(timeout=PATIENCE)
        held = thread.view()
        file.write_text(json.dumps(held.as_json()))
        with thread.subscribe() as updates:
            print(aguiws.asked(end)[0]["id"], flush=True)
            seqs = []
            while True:
                update = updates.next(timeout=PATIENCE)
                if update.event is None:
                    assert update.reason == "", "the thread was told anew"
                    continue
                assert update.position is not None
                seqs.append(update.position.seq)
                if update.event["type"] == "RUN_FINISHED":
                    break
        assert held.position is not None
        assert seqs == list(range(held.position.seq + 1, held.position.seq + 1 + len(seqs))), seqs
        print(thread.view().messages[-1]["content"], flush=True)


async def answer(file: Path) -> None:
    """Go on from what another process held, and answer twice."""
    async with aguiws.AsyncClient(URL) as client:
        held = aguiws.View.from_json(json.loads(file.read_text()))
        thread = await asyncio.wait_for(client.follow("trip", held), PATIENCE)
        [question] = thread.view().interrupts
        for _ in range(2):
            run = thread.answer(aguiws.resolve(question, {"approved": True}))
            end = await asyncio.wait_for(run.wait(), PATIENCE)
            assert end["outcome"]["type"] == "success", end
        print(question["id"], flush=True)


if sys.argv[1] == "ask":
    ask(Path(sys.argv[2]))
else:
    asyncio.run(answer(Path(sys.argv[2])))
