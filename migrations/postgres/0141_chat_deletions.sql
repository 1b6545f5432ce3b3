-- EXPAND 0.1.0

CREATE TABLE "message_deletions" (
	"message_id" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	"conversation_id" bigint NOT NULL,
	"number" bigint NOT NULL,
	"created_at" bigint NOT NULL,
	CONSTRAINT "message_deletions_message_id_user_id_pk" PRIMARY KEY("message_id","user_id")
);

ALTER TABLE "message_deletions" ADD CONSTRAINT "message_deletions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;

CREATE INDEX "message_deletions_user" ON "message_deletions" USING btree ("user_id","number");

CREATE INDEX "message_deletions_number" ON "message_deletions" USING btree ("number");
