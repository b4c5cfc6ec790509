-- runs-with: 0004
-- needed: now

-- A text that finds a user in a list by its beginning: the name and the addresses, each from each of its words on, folded for
-- search. Only a server folds, so that the terms agree with what it is asked.
CREATE TABLE user_search_terms (
    team_id text COLLATE "C" NOT NULL,
    sub text COLLATE "C" NOT NULL,
    term text COLLATE "C" NOT NULL,
    PRIMARY KEY (team_id, sub, term),
    FOREIGN KEY (team_id, sub) REFERENCES users ON DELETE CASCADE
);
CREATE INDEX user_search_terms_term ON user_search_terms (team_id, term, sub);
SELECT pippin_enable_rls('user_search_terms');

-- A user whose terms are yet to be written.
CREATE TABLE user_search_changes (
    team_id text COLLATE "C" NOT NULL,
    sub text COLLATE "C" NOT NULL,
    -- Counts the changes, so that one that comes while the terms are written is not lost.
    number integer NOT NULL DEFAULT 1,
    PRIMARY KEY (team_id, sub),
    FOREIGN KEY (team_id, sub) REFERENCES users ON DELETE CASCADE
);
SELECT pippin_enable_rls('user_search_changes');

GRANT SELECT, INSERT, UPDATE, DELETE ON user_search_terms, user_search_changes TO pippin_app;
CREATE POLICY every_team ON user_search_changes FOR SELECT TO pippin_system USING (true);
GRANT SELECT (team_id) ON user_search_changes TO pippin_system;

CREATE FUNCTION pippin_user_renamed() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO user_search_changes AS known (team_id, sub) VALUES (NEW.team_id, NEW.sub)
    ON CONFLICT (team_id, sub) DO UPDATE SET number = known.number + 1;
    RETURN NULL;
END
$$;
CREATE TRIGGER user_added AFTER INSERT ON users FOR EACH ROW EXECUTE FUNCTION pippin_user_renamed();
CREATE TRIGGER user_renamed AFTER UPDATE OF given_name, family_name, email, relay_address ON users
    FOR EACH ROW WHEN (
        (OLD.given_name, OLD.family_name, OLD.email, OLD.relay_address)
            IS DISTINCT FROM (NEW.given_name, NEW.family_name, NEW.email, NEW.relay_address)
    ) EXECUTE FUNCTION pippin_user_renamed();

-- Without a job, since nothing waits for these new tables.
INSERT INTO user_search_changes (team_id, sub) SELECT team_id, sub FROM users;
