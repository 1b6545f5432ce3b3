-- EXPAND 0.1.0

CREATE INDEX CONCURRENTLY "conversation_members_marked" ON "conversation_members" USING btree ("user_id","pinned" desc,"sort_at" desc,"conversation_id" desc) WHERE marked_unread;

CREATE INDEX CONCURRENTLY "messages_pinned" ON "messages" USING btree ("conversation_id") WHERE pin is not null and recalled_at is null;
