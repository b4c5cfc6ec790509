-- What came with an App ID and has not become a user yet goes with the consent that it was told of, and so with its
-- person: a team hands over those alone who use the app. That the App ID itself goes is nobody's withdrawal. The team that
-- gives sees nothing of the other's rows, so the removal is done for it.
CREATE FUNCTION pippin_recall_transferred() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    IF TG_TABLE_NAME = 'consents' THEN
        DELETE FROM transferred_people AS person
        USING gone JOIN transfer_subs AS name ON name.team_id = gone.team_id AND name.sub = gone.sub
            JOIN app_ids AS app ON app.team_id = gone.team_id AND app.identifier = gone.app_id
        WHERE person.team_id = name.target_team AND person.transfer_sub = name.transfer_sub
            AND person.app_id = gone.app_id AND person.from_team = gone.team_id AND person.sub IS NULL;
    ELSE
        DELETE FROM transferred_people AS person USING gone
        WHERE person.team_id = gone.target_team AND person.transfer_sub = gone.transfer_sub
            AND person.from_team = gone.team_id AND person.sub IS NULL;
    END IF;
    RETURN NULL;
END
$$;
REVOKE EXECUTE ON FUNCTION pippin_recall_transferred FROM PUBLIC;
CREATE TRIGGER transferred_recalled AFTER DELETE ON consents
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION pippin_recall_transferred();
CREATE TRIGGER transferred_recalled AFTER DELETE ON transfer_subs
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION pippin_recall_transferred();

-- Of those who withdrew before.
DELETE FROM transferred_people AS person
WHERE sub IS NULL AND NOT EXISTS (
    SELECT FROM transfer_subs AS name JOIN consents ON consents.team_id = name.team_id AND consents.sub = name.sub
    WHERE name.team_id = person.from_team AND name.target_team = person.team_id
        AND name.transfer_sub = person.transfer_sub AND consents.app_id = person.app_id
) AND EXISTS (
    SELECT FROM app_ids WHERE app_ids.team_id = person.from_team AND app_ids.identifier = person.app_id
);

-- Whether a team gives and takes: not once it is closed. Teams do not see one another, so it is asked here, and nothing
-- else is told.
CREATE FUNCTION pippin_team_is_open(asked text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    SELECT EXISTS (SELECT FROM teams WHERE team_id = asked AND coalesce(closed_at, deleted_at) IS NULL)
$$;
-- The same of two that agree on something: they stay as they are, and agree on nothing else, until the transaction ends.
CREATE FUNCTION pippin_hold_open_teams(one text, other text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    PERFORM FROM teams WHERE team_id IN (one, other) ORDER BY team_id FOR NO KEY UPDATE;
    RETURN pippin_team_is_open(one) AND pippin_team_is_open(other);
END
$$;
REVOKE EXECUTE ON FUNCTION pippin_team_is_open, pippin_hold_open_teams FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pippin_team_is_open, pippin_hold_open_teams TO pippin_app;
