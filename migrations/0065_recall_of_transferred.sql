-- As in 0051, but first looks whether any of the consents is of somebody who is handed over, as nearly none is: to start a
-- statement over four tables takes longer than that.
CREATE OR REPLACE FUNCTION pippin_recall_transferred() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    IF TG_TABLE_NAME = 'consents' THEN
        IF NOT EXISTS (
            SELECT FROM gone JOIN transfer_subs AS name ON name.team_id = gone.team_id AND name.sub = gone.sub
        ) THEN
            RETURN NULL;
        END IF;
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
