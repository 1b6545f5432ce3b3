CREATE TABLE "qr_code_scans" (
	"qr_code_id" bigint NOT NULL,
	"starts_at" bigint NOT NULL,
	"scans" bigint NOT NULL,
	CONSTRAINT "qr_code_scans_qr_code_id_starts_at_pk" PRIMARY KEY("qr_code_id","starts_at")
);

CREATE INDEX "qr_code_scans_age" ON "qr_code_scans" USING btree ("starts_at");
