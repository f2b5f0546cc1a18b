"""An app with routes of its own, and the agent of examples/fastapi beside them, as docs/fastapi.md shows it."""

from fastapi import FastAPI

from app import app as agent  # app.py, with tools.py beside it

app = FastAPI()
app.mount("/agui", agent)
