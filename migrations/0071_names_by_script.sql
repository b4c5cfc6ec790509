-- Names in the audit log as a name of their script is written, like PersonName.full: the family name first, without a
-- blank, in Han, kana and Hangul.
CREATE FUNCTION pippin_full_name(given text, family text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN given <> '' AND family <> '' AND given || family ~ (
            '^[\u1100-\u11FF\u2E80-\u2FDF\u3005-\u3007\u3021-\u3029\u3031-\u31BF\u31F0-\u31FF\u3400-\u4DBF\u4E00-\u9FFF'
            '\uA960-\uA97F\uAC00-\uD7FF\uF900-\uFAFF\uFE00-\uFE0F\uFF66-\uFFDC\U0001AFF0-\U0001B16F\U00020000-\U0003FFFF'
            '\U000E0100-\U000E01EF]+$'
        ) THEN family || given
        ELSE trim(given || ' ' || family)
    END
$$;

CREATE OR REPLACE FUNCTION pippin_audit_added() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    INSERT INTO audit_unsealed (team_id, at, event_id) VALUES (NEW.team_id, NEW.at, NEW.event_id);
    INSERT INTO audit_words (team_id, word, at, event_id)
    SELECT DISTINCT NEW.team_id, word, NEW.at, NEW.event_id FROM unnest(NEW.words) AS word;
    IF NEW.actor_kind IN ('person', 'member') OR NEW.target_kind IN ('user', 'member') THEN
        INSERT INTO audit_people AS known (team_id, kind, sub, name, email)
        SELECT NEW.team_id, named.kind, u.sub, pippin_full_name(u.given_name, u.family_name), u.email
        FROM (
            SELECT NEW.actor_kind AS kind, NEW.actor AS sub
            UNION
            SELECT CASE NEW.target_kind WHEN 'user' THEN 'person' ELSE NEW.target_kind END, NEW.target
        ) AS named
        JOIN users u ON u.sub = named.sub
            AND u.team_id = CASE named.kind WHEN 'member' THEN 'PIPPIN0000' ELSE NEW.team_id END
        WHERE named.kind IN ('person', 'member') AND NOT EXISTS (
            SELECT FROM audit_people p
            WHERE p.team_id = NEW.team_id AND p.kind = named.kind AND p.sub = named.sub
                AND p.name = pippin_full_name(u.given_name, u.family_name) AND p.email IS NOT DISTINCT FROM u.email
        )
        ON CONFLICT (team_id, kind, sub) DO UPDATE SET name = EXCLUDED.name, email = EXCLUDED.email;
    END IF;
    RETURN NULL;
END
$$;

UPDATE audit_people AS p SET name = pippin_full_name(u.given_name, u.family_name)
FROM users AS u
WHERE u.sub = p.sub AND u.team_id = CASE p.kind WHEN 'member' THEN 'PIPPIN0000' ELSE p.team_id END
    AND p.name = trim(u.given_name || ' ' || u.family_name) AND p.name <> pippin_full_name(u.given_name, u.family_name);
