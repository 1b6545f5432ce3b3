CREATE TABLE "meta_removed_owners" (
	"owner" bigint PRIMARY KEY NOT NULL
);
