/* SPDX-License-Identifier: BSD-3-Clause */
/* The style sheet and the script of a report: see assets.h. */
#include "report/assets.h"
#include "report/assets_list.h"

int assets_write(files_write *put, void *arg, struct err *err)
{
	static const struct {
		const char *name;
		const unsigned char *bytes;
		size_t n;
	} all[] = {
		{ "assets/report.css", asset_report_css, sizeof(asset_report_css) },
		{ "assets/report.js", asset_report_js, sizeof(asset_report_js) },
	};
	struct buf b = { 0 };
	size_t i;
	int ret = 0;

	for (i = 0; ret == 0 && i < sizeof(all) / sizeof(*all); i++) {
		buf_reset(&b);
		buf_add(&b, (const char *)all[i].bytes, all[i].n);
		ret = put(arg, all[i].name, &b, err);
	}
	buf_release(&b);
	return ret;
}
