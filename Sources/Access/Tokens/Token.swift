import HoldfastJSON
import HoldfastObjectModel
import HoldfastObjectStore

/// A token of a store, without its secret. An object, as each request looks its own up.
package final class Token: Sendable {
    /// The identity of its owner; never that of another one.
    package let number: UInt64
    /// The operator's name for it; unique.
    package let name: String
    /// The terms: what it allows, whom, and how long.
    package let terms: TokenTerms
    /// When it was made.
    package let created: Timestamp
    /// The user that it is of; nil for a token of the store.
    package let principal: Principal?
    /// The principal of a token that is for some classes alone; nil for all.
    package let limited: Principal?
    let hash: TokenHash

    /// A stored token; nil for a right that this program does not know.
    init?(_ record: TokenRecord) {
        guard let right = Right(rawValue: record.right), let hash = TokenHash(record.hash) else {
            return nil
        }
        number = record.number
        name = record.name
        var terms = TokenTerms(
            right,
            end: record.end == .max ? nil : Timestamp(seconds: record.end, nanoseconds: 0),
            user: record.user.isEmpty ? nil : record.user, claims: Claims(text: record.claims))
        terms.classes = record.classes
        self.terms = terms
        principal = terms.user.map {
            Principal(
                user: $0, claims: terms.claims, classes: terms.classes,
                accessVersion: record.accessVersion)
        }
        limited =
            terms.classes.isEmpty
            ? nil
            : Principal(
                token: record.number, right, classes: terms.classes,
                accessVersion: record.accessVersion)
        created = Timestamp(seconds: record.seconds, nanoseconds: 0)
        self.hash = hash
    }

    /// Writes the members `name`, `right`, `created` and, where it has them, `user`, `claims`, `classes` and `expires`.
    package func write(to object: inout JSONObjectWriter) {
        object.member("name").string(name)
        writeTerms(to: &object)
        object.member("created").string(created.description)
    }

    /// Writes the members `right` and, where it has them, `user`, `claims`, `classes` and `expires`.
    package func writeTerms(to object: inout JSONObjectWriter) {
        object.member("right").string(terms.right.rawValue)
        if let user = terms.user {
            object.member("user").string(user)
            terms.claims.write(to: object.member("claims"))
        }
        if !terms.classes.isEmpty { object.member("classes").strings(terms.classes) }
        if let end = terms.end { object.member("expires").string(end.description) }
    }

    /// Whether a name can be a token's: letters, digits, `.`, `_`, `-` and `@`, at most 64.
    package static func isName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 64
            && name.utf8.allSatisfy { byte in
                (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                    || ".-_@".utf8.contains(byte)
            }
    }
}
