-- The sign-ins that the codes of the last run end, as the recorder keeps them.
INSERT INTO traces (team_id, trace_id, client_id, sub, outcome, opening)
SELECT team_id, trace_id, client_id, sub, 'answered', '{"kind":"authorization","at":0}'
FROM authorization_codes WHERE team_id = :'team' AND redeemed_at IS NULL
ON CONFLICT DO NOTHING;
