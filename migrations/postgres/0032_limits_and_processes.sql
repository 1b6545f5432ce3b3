CREATE TABLE "processes" (
	"id" text PRIMARY KEY NOT NULL,
	"backend" bigint NOT NULL,
	"report" text NOT NULL,
	"started_at" bigint NOT NULL,
	"seen_at" bigint NOT NULL
);

ALTER TABLE "counters" ADD COLUMN "granted" bigint DEFAULT 0 NOT NULL;
