-- The job that delivers a notice, so that the delivery log says when it is tried again. Those of before name none.
ALTER TABLE notices ADD COLUMN job_id text COLLATE "C";
