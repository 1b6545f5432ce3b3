CREATE TABLE "asset_clean_ups" (
	"owner" bigint NOT NULL,
	"user_id" bigint NOT NULL,
	CONSTRAINT "asset_clean_ups_owner_user_id_pk" PRIMARY KEY("owner","user_id")
);

CREATE INDEX "assets_all" ON "assets" USING btree ("deleted_at","created_at","id");

CREATE INDEX "assets_user" ON "assets" USING btree ("user_id","deleted_at","created_at","id");
