-- EXPAND 0.1.0

CREATE TABLE "qr_scan_details" (
	"qr_code_id" bigint NOT NULL,
	"day" bigint NOT NULL,
	"is_month" boolean DEFAULT false NOT NULL,
	"robots" bigint NOT NULL,
	"visitors" bigint NOT NULL,
	"details" text NOT NULL,
	CONSTRAINT "qr_scan_details_qr_code_id_day_pk" PRIMARY KEY("qr_code_id","day")
);

CREATE TABLE "qr_scan_salts" (
	"day" bigint PRIMARY KEY NOT NULL,
	"salt" text NOT NULL
);

CREATE TABLE "qr_scan_visitors" (
	"day" bigint NOT NULL,
	"qr_code_id" bigint NOT NULL,
	"hash" text NOT NULL,
	CONSTRAINT "qr_scan_visitors_day_qr_code_id_hash_pk" PRIMARY KEY("day","qr_code_id","hash")
);

CREATE INDEX "qr_scan_details_age" ON "qr_scan_details" USING btree ("is_month","day");
