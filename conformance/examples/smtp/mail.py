"""send_mail of examples/fastapi by SMTP, as docs/fastapi.md shows it."""

import logging
import smtplib
from email.message import EmailMessage

from tools import NotDone, tool

HOST, SENDER, log = "127.0.0.1:25", "agent@example.com", logging.getLogger("uvicorn.error")
REFUSED = ConnectionRefusedError, smtplib.SMTPSenderRefused, smtplib.SMTPRecipientsRefused  # before the mail goes out


@tool("Send this to {to}?")
def send_mail(to: str, text: str, *, key, run):
    """Sends a mail."""
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Message-ID"] = SENDER, to, f"<{key}@example.com>"
    mail.set_content(text)
    log.info("mail: question %s, run %s: begins", key, run)
    try:
        with smtplib.SMTP(HOST, timeout=60) as server:
            missed = server.send_message(mail)
    except REFUSED as error:
        log.info("mail: question %s, run %s: refused", key, run)
        raise NotDone(f"the mail was refused: {error}") from None
    log.info("mail: question %s, run %s: sent", key, run)
    return f"Sent to {to}, but not to {', '.join(missed)}." if missed else f"Sent to {to}."
