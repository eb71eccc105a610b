#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Turn files into arrays of bytes for C: assets/report.css -> asset_report_css
for f; do
	n=`basename "$f" | tr .- __`
	echo "static const unsigned char asset_$n[] = {"
	od -An -v -tu1 "$f" | sed 's/[0-9][0-9]*/&,/g'
	echo "};"
done
