import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore

/// Whether a user may sign in and send requests, by any kind of token or session.
package struct UserAccess: Sendable, Equatable {
    private(set) var record: UserRecord

    package var id: String { record.id }

    /// Makes the access of a user without restrictions.
    ///
    /// - Throws: ``RequestFault`` `.invalid` if the id is invalid.
    package init(id: String) throws(RequestFault) {
        guard TokenMembers.isUser(id) else {
            throw .single(
                .invalid, "invalid-user",
                "A user's id is a text of 1 to \(TokenMembers.userByteCountMax) bytes without control characters.",
                parameter: "id")
        }
        record = UserRecord(id: id, isBlocked: false, signedInAfter: .min)
    }

    /// Takes a stored record; nil if the record does not restrict the user.
    init?(_ record: UserRecord) {
        if record.horizon == .min { return nil }
        self.record = record
    }

    /// Reads a body such as `{"blocked":true}` or `{"signedInAfter":"2027-01-31T00:00:00Z"}`. Omitted members take their
    /// defaults.
    ///
    /// - Throws: ``RequestFault`` `.malformed` for another shape, `.invalid` if the id or the time is invalid.
    package init(id: String, _ body: JSONValue) throws(RequestFault) {
        self = try UserAccess(id: id)
        guard body.kind == .object, body.repeatedName == nil else { throw Self.malformed }
        for member in body.members {
            switch String(decoding: member.name, as: UTF8.self) {
            case "blocked":
                guard let flag = member.value.bool else { throw Self.malformed }
                record.isBlocked = flag
            case "signedInAfter":
                if member.value.isNull { continue }
                // The second after the last one of 9999 has no text.
                guard let text = member.value.stringBytes, let time = Timestamp(rfc3339: text),
                    time.seconds < Timestamp.secondsEnd - 1
                else {
                    throw .single(
                        .invalid, "invalid-user",
                        "'signedInAfter' is a time such as 2027-01-31T00:00:00Z, or null for no time.",
                        pointer: "/signedInAfter")
                }
                // Tokens are issued in whole seconds, so a token of the same second may be older.
                record.signedInAfter = time.seconds + (time.nanoseconds > 0 ? 1 : 0)
            default: throw Self.malformed
            }
        }
    }

    /// The time before which the user's sign-ins are void, in seconds since 1970. The earliest time if none is void, the latest
    /// time if all are.
    package var horizon: Int64 { record.horizon }

    /// Writes the members `id`, `blocked` and, if it is set, `signedInAfter`.
    package func write(to object: inout JSONObjectWriter) {
        object.member("id").string(id)
        object.member("blocked").bool(record.isBlocked)
        if record.signedInAfter > .min {
            let time = Timestamp(seconds: record.signedInAfter, nanoseconds: 0)
            object.member("signedInAfter").string(time.description)
        }
    }

    private static let malformed = RequestFault(
        .malformed, "invalid-body",
        "The body is a JSON object with 'blocked' or 'signedInAfter' or both, and nothing else, such as "
            + "{\"blocked\":true}.")
}
