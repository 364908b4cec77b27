#!/bin/sh
exec "$(dirname "$0")/check.pl" 09
