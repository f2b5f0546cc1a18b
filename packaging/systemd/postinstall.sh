#!/bin/sh
# After the package's files are there, also when it replaces an older one.
set -e
[ -d /run/systemd/system ] || exit 0
systemctl daemon-reload
systemctl try-restart aguiws.service
