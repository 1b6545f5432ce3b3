CREATE TABLE "meta_purges" (
	"object_name" text NOT NULL,
	"target" bigint NOT NULL,
	CONSTRAINT "meta_purges_object_name_target_pk" PRIMARY KEY("object_name","target")
);

DROP INDEX "meta_values_key";

CREATE INDEX "meta_values_key" ON "meta_values" USING btree ("owner","field_id","key","entity_id");
