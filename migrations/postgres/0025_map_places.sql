CREATE TABLE "asset_places" (
	"owner" bigint NOT NULL,
	"cell" bigint NOT NULL,
	"asset_id" bigint NOT NULL,
	"latitude" double precision NOT NULL,
	"longitude" double precision NOT NULL,
	CONSTRAINT "asset_places_owner_cell_asset_id_pk" PRIMARY KEY("owner","cell","asset_id")
);

DROP INDEX "assets_place";
