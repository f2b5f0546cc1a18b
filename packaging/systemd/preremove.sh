#!/bin/sh
# dpkg says "remove" or "upgrade"; rpm says how many packages stay: 0 or 1.
set -e
[ -d /run/systemd/system ] || exit 0
case ${1:-} in
remove | 0) systemctl disable --now aguiws.service ;;
esac
