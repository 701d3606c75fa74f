import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore

/// Whether a user is let in, by whatever they come with.
package struct UserAccess: Sendable, Equatable {
    /// The record of it.
    private(set) var record: UserRecord

    /// Their id.
    package var id: String { record.id }

    /// A user who is let in.
    ///
    /// - Throws: ``RequestFault`` `.invalid` for what is no user's id.
    package init(id: String) throws(RequestFault) {
        guard TokenMembers.isUser(id) else {
            throw .single(
                .invalid, "invalid-user",
                "A user's id is a text of 1 to \(TokenMembers.userByteCountMax) bytes without control characters.",
                parameter: "id")
        }
        record = UserRecord(id: id, isBlocked: false, signedInAfter: .min)
    }

    /// Takes a stored record; nil for one that bars the user from nothing.
    init?(_ record: UserRecord) {
        if record.horizon == .min { return nil }
        self.record = record
    }

    /// Reads a body such as `{"blocked":true}` or `{"signedInAfter":"2027-01-31T00:00:00Z"}`; what it leaves out does not hold.
    ///
    /// - Throws: ``RequestFault`` `.malformed` for another shape, `.invalid` for what is no user or no time.
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
                // The second behind the last of 9999 has no text.
                guard let text = member.value.stringBytes, let time = Timestamp(rfc3339: text),
                    time.seconds < Timestamp.secondsEnd - 1
                else {
                    throw .single(
                        .invalid, "invalid-user",
                        "'signedInAfter' is a time such as 2027-01-31T00:00:00Z, or null for none.",
                        pointer: "/signedInAfter")
                }
                // Tokens are issued in whole seconds: one of the same second may be older.
                record.signedInAfter = time.seconds + (time.nanoseconds > 0 ? 1 : 0)
            default: throw Self.malformed
            }
        }
    }

    /// Seconds since 1970; what they signed in with before is void. The earliest time where nothing is, the latest where all is.
    package var horizon: Int64 { record.horizon }

    /// Writes the members `id`, `blocked` and, where there is one, `signedInAfter`.
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
