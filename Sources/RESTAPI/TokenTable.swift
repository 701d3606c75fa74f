/// Who may do what: SHA-256 hashes of bearer tokens and the rights of each.
package struct TokenTable: Sendable {
}
