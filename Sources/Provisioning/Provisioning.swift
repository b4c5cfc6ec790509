// Provisioning: the registry as code.
//
// Owns: the registry file, the plan of changes from the stored state to the file, its application in one transaction
// per team, and the export of a team as such a file.
// Must not know: rules of its own; it uses the parsers and stores of the console, so it rejects the same input.
// Never removes teams; it creates and changes them.
