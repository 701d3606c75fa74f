import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows

/// The facts about a principal for rules, as of one version of the store: id, claims, and the user's object. It reads an
/// unrestricted view, and must not be used after the view is closed.
struct PrincipalFacts: UserFacts {
    private let principal: Principal
    private let source: any ObjectSource
    private let schema: RowSchema
    private let object: (key: UInt64, row: RowView)?

    /// Takes the user's object as it was at some version; nil if it did not exist.
    init(
        _ principal: Principal, _ object: (key: UInt64, row: RowView)?,
        in source: any ObjectSource, _ schema: RowSchema
    ) {
        self.principal = principal
        self.source = source
        self.schema = schema
        self.object = object
    }

    /// Finds the user's object, if users have objects. Cost: a look-up.
    init(_ principal: Principal, usersClass: Int?, on read: StoreView) throws(StoreError) {
        var object: (key: UInt64, row: RowView)?
        if let user = principal.user, let usersClass,
            let key = Self.key(user, of: read.rows.classes[usersClass]).flatMap({ OrderedKey($0) })
        {
            object = try read.find(read.rows.classes[usersClass], primaryKey: key)
        }
        self.init(principal, object, in: read, read.rows)
    }

    func value(of reference: UserReference) -> UserValue? {
        switch reference {
        case .id: return principal.user.map { .one(.string($0)) }
        case .claim(let names): return principal.claimTree.value(names)
        case .object(let path):
            guard let object else { return nil }
            return PathValues.read(
                path, of: object.row, key: object.key, from: source, schema: schema)
        }
    }

    /// Returns the key of a user's object; nil if no object can have such a key.
    static func key(_ user: String, of rowClass: RowClass) -> Value? {
        guard let member = rowClass.primaryKeyIndex,
            let type = rowClass.definition.properties[member].scalar
        else { return nil }
        return type.value(ofUser: user)
    }
}
