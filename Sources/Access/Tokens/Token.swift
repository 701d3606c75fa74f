import HoldfastJSON
import HoldfastObjectModel
import HoldfastObjectStore

/// A token of a store, without its secret. It is an object because each request looks up its token.
package final class Token: Sendable {
    /// The token's identity as an owner; never reused.
    package let number: UInt64
    /// The operator's name for it; unique.
    package let name: String
    /// The terms: its right, its user and classes, and its expiry.
    package let terms: TokenTerms
    /// The time of its creation.
    package let created: Timestamp
    /// The user that the token belongs to; nil for a token of the store.
    package let principal: Principal?
    /// The principal of a token that is limited to some classes; nil for a token of all classes.
    package let limited: Principal?
    let hash: TokenHash

    /// Reads a stored token; nil if this program does not know its right.
    init?(_ record: TokenRecord) {
        guard let right = Right(rawValue: record.right), let hash = TokenHash(record.hash) else {
            return nil
        }
        number = record.number
        name = record.name
        var terms = TokenTerms(
            right, end: record.end == .max ? nil : Timestamp(seconds: record.end, nanoseconds: 0),
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

    /// Writes the members `name`, `right`, `created` and, if present, `user`, `claims`, `classes` and `expires`.
    package func write(to object: inout JSONObjectWriter) {
        object.member("name").string(name)
        writeTerms(to: &object)
        object.member("created").string(created.description)
    }

    /// Writes the members `right` and, if present, `user`, `claims`, `classes` and `expires`.
    package func writeTerms(to object: inout JSONObjectWriter) {
        object.member("right").string(terms.right.rawValue)
        if let user = terms.user {
            object.member("user").string(user)
            terms.claims.write(to: object.member("claims"))
        }
        if !terms.classes.isEmpty { object.member("classes").strings(terms.classes) }
        if let end = terms.end { object.member("expires").string(end.description) }
    }

    /// Whether a text is a valid token name: letters, digits, `.`, `_`, `-` and `@`, at most 64.
    package static func isName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 64
            && name.utf8.allSatisfy { byte in
                (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                    || ".-_@".utf8.contains(byte)
            }
    }
}
