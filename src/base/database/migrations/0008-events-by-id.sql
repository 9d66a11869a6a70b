-- The event of a job has the digits of the job's id, by which it is found.
DROP INDEX events_of_job;
