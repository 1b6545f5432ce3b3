CREATE TABLE "message_index" (
	"id" bigint PRIMARY KEY NOT NULL,
	"up_to" bigint NOT NULL
);

CREATE TABLE "message_terms" (
	"conversation_id" bigint NOT NULL,
	"term" text NOT NULL,
	"message_id" bigint NOT NULL,
	CONSTRAINT "message_terms_conversation_id_term_message_id_pk" PRIMARY KEY("conversation_id","term","message_id")
);
