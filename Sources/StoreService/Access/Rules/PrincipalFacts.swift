import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows

/// The facts about a principal for rules, on one view of the store: id, claims, and the user's object. It reads the bare store, and
/// is used while the view is open.
struct PrincipalFacts: UserFacts {
    private let principal: Principal
    private let read: ReadTransaction
    private let object: (key: UInt64, row: RowView)?

    /// Finds the user's object, where users have one. Cost: a look-up.
    init(
        _ principal: Principal, usersClass: Int?, on read: ReadTransaction
    ) throws(StoreError) {
        self.principal = principal
        self.read = read
        guard let user = principal.user, let usersClass else {
            object = nil
            return
        }
        let rowClass = read.rows.classes[usersClass]
        guard let key = Self.key(user, of: rowClass).flatMap({ OrderedKey($0) }) else {
            object = nil
            return
        }
        object = try read.find(rowClass, primaryKey: key)
    }

    func value(of reference: UserReference) -> UserValue? {
        switch reference {
        case .id: return principal.user.map { .one(.string($0)) }
        case .claim(let names): return principal.claimTree.value(names)
        case .object(let path):
            guard let object else { return nil }
            return PathValues.read(
                path, of: object.row, key: object.key, from: read, schema: read.rows)
        }
    }

    /// Returns the key of a user's object; nil where no object has such a key.
    static func key(_ user: String, of rowClass: RowClass) -> Value? {
        guard let member = rowClass.primaryKeyIndex,
            let type = rowClass.definition.properties[member].scalar
        else { return nil }
        var text = user
        let key: Value? =
            switch type {
            case .string: .string(user)
            case .uuid:
                text.withUTF8 { UUID128(text: UnsafeRawBufferPointer($0)) }.map { .uuid($0) }
            case .objectID:
                text.withUTF8 { ObjectID(text: UnsafeRawBufferPointer($0)) }.map { .objectID($0) }
            default: Int64(user).map { .int($0) }
            }
        return key.flatMap { ($0.keyText ?? user).isSame(as: user) ? $0 : nil }
    }
}
