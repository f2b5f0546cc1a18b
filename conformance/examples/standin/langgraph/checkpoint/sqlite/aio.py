"""Stands for langgraph.checkpoint.sqlite.aio: the newest checkpoint of each thread."""

import json
import sqlite3
from contextlib import asynccontextmanager


class AsyncSqliteSaver:
    def __init__(self, db):
        self.db = db

    @classmethod
    @asynccontextmanager
    async def from_conn_string(cls, name):
        db = sqlite3.connect(name, isolation_level=None, check_same_thread=False)
        db.execute("CREATE TABLE IF NOT EXISTS checkpoints (thread TEXT PRIMARY KEY, state TEXT)")
        yield cls(db)
        db.close()

    def read(self, thread):
        row = self.db.execute("SELECT state FROM checkpoints WHERE thread = ?", (thread,)).fetchone()
        return row and json.loads(row[0])

    def write(self, thread, state):
        self.db.execute("INSERT OR REPLACE INTO checkpoints VALUES (?, ?)", (thread, json.dumps(state)))
