CREATE TABLE "repeat_keys" (
	"user_id" bigint NOT NULL,
	"key" text NOT NULL,
	"fingerprint" text NOT NULL,
	"content" text NOT NULL,
	"position" bigint NOT NULL,
	"created_at" bigint NOT NULL,
	CONSTRAINT "repeat_keys_user_id_key_pk" PRIMARY KEY("user_id","key")
);

ALTER TABLE "repeat_keys" ADD CONSTRAINT "repeat_keys_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;

CREATE INDEX "repeat_keys_position" ON "repeat_keys" USING btree ("user_id","position");

CREATE INDEX "repeat_keys_created" ON "repeat_keys" USING btree ("created_at");
