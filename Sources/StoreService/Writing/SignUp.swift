import HoldfastAccess
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows

/// The creation of an account and of the object of its user, as one transaction of that user: neither exists without the other.
///
/// The object is of the class that the access document names for users. Its key is the account's id.
package struct SignUp: WriteCase, @unchecked Sendable {
    // Unchecked: one thread at a time has it, see ``ServedWrite``.

    package let caller: Caller
    private let account: NewAccount
    private let body: RequestBytes
    private let access: AccessControl
    private let served: ServedStore
    private var draft: ObjectDraft?

    private static let pointer = JSONPointer().appending(AccountBody.object)

    /// Makes a sign-up.
    ///
    /// - `body`: The body of the request, whose member `object` has the values of the user's object.
    /// - `caller`: The new user.
    package init(
        _ account: NewAccount, _ body: RequestBytes, by access: AccessControl,
        for caller: Caller, in served: ServedStore
    ) {
        self.account = account
        self.body = body
        self.access = access
        self.caller = caller
        self.served = served
    }

    package mutating func prepare(
        _ names: SchemaNames, _ scratch: RequestScratch
    ) throws(RequestFault) {
        let (rowClass, key) = try target(names)
        let json = try served.json(body.bytes, scratch.parser)
        guard let values = json.member(named: AccountBody.object) else { return }
        let reader = scratch.reader
        let reading = reader.read(values, as: rowClass, names: names, isMerge: false, key: key)
        guard let reading else { throw reader.fault().placed(at: Self.pointer) }
        guard reading.version == nil else {
            throw .single(
                .invalid, "version-not-allowed",
                "The user's object is new and has no \"$version\"; leave it out.",
                pointer: Self.pointer.appending("$version").description)
        }
        draft = reading.draft
    }

    /// The class of users' objects, and the key of the new user's object.
    private func target(_ names: SchemaNames) throws(RequestFault) -> (RowClass, Value) {
        guard let name = try access.rules(for: served.store.catalog.rows)?.document.users else {
            throw .noObject(
                .invalid, "invalid-account",
                "Users have no objects of their own: the access document does not name their class by "
                    + "'users'. Leave 'object' out, or ask an admin to set 'users'.")
        }
        guard let rowClass = names.schema.rowClass(named: name),
            let member = rowClass.primaryKeyIndex
        else {
            throw .noObject(
                .forbidden, "not-allowed",
                "No role lets a new user create their own object. Leave 'object' out, or ask an admin "
                    + "for a role with a 'create' rule for it.")
        }
        let type = rowClass.definition.properties[member].scalar
        guard let key = type?.value(ofUser: account.account.id.description) else {
            throw .noObject(
                .invalid, "invalid-account",
                "The id of an account is a UUID, which can't be the key of an object of class "
                    + "'\(name)'. Leave 'object' out, or ask an admin for a key of the type uuid or string."
            )
        }
        return (rowClass, key)
    }

    package func run(_ transaction: WriteTransaction) throws(StoreError) {
        try account.add(to: transaction)
        if let draft { _ = try transaction.write(draft, mode: .create) }
    }

    package func reply(_ writer: ReplyWriter) throws(RequestFault) -> WriteReply {
        WriteReply(writer.version)
    }

    package func fault(_ error: StoreError) -> RequestFault {
        served.fault(error).placed(at: Self.pointer)
    }
}

extension RequestFault {
    /// A fault of a sign-up whose user can't have an object.
    fileprivate static func noObject(
        _ kind: Kind, _ code: String, _ detail: String
    ) -> RequestFault {
        .single(kind, code, detail, pointer: "/\(AccountBody.object)")
    }
}
