-- Whose it is, if it is private. Rows from before say nothing: whoever shows them looks into their bodies, as of all.
ALTER TABLE past ADD COLUMN private_of INTEGER;
-- A page of one workspace costs in proportion to the page, however many lie beside it in other workspaces, and however
-- many private ones in this. Most rows are in one of these alone.
CREATE INDEX past_public ON past (workspace) WHERE private_of IS NULL;
CREATE INDEX past_private ON past (workspace) WHERE private_of IS NOT NULL;
CREATE INDEX past_own ON past (workspace, private_of) WHERE private_of IS NOT NULL;
