CREATE TABLE "scan_record_counts" (
	"user_id" bigint PRIMARY KEY NOT NULL,
	"records" bigint NOT NULL
);

ALTER TABLE "scan_record_counts" ADD CONSTRAINT "scan_record_counts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;

INSERT INTO scan_record_counts (user_id, records) SELECT user_id, count(*) FROM scan_records GROUP BY user_id;
