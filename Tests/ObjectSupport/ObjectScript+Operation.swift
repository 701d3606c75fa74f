import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows

extension ObjectScript {
    /// One operation of a transaction.
    package enum Operation: Sendable {
        case write(String, ObjectContent, key: Value?, WriteMode)
        case delete(Identity)
        /// Changes an element of a property: what it is, of which object, and the collection of the one
        /// element.
        case edit(ElementEdit, String, of: Identity, Content?)
        /// Changes something inside a `mixed` value.
        case editInside(MixedEdit, at: EditPath.Element?, String, of: Identity, Content?)
        /// Takes the objects of an outbox up to one.
        case acknowledge(Identity)
        /// Ends the transaction, or the part of it, with an error.
        case fail
        /// A part whose failure is taken back and forgotten.
        indirect case attempt([Operation])

        /// How many operations it is.
        var count: Int {
            if case .attempt(let part) = self { part.reduce(0) { $0 + $1.count } } else { 1 }
        }
    }
}

extension ObjectScript.Operation {
    /// Does it in a transaction.
    package func run(_ transaction: WriteTransaction) throws(StoreError) {
        let rows = transaction.catalog.rows
        switch self {
        case .fail: throw .closing
        case .attempt(let part):
            do throws(StoreError) {
                try transaction.attempt { () throws(StoreError) in
                    for operation in part { try operation.run(transaction) }
                }
            } catch {
                // The rest of the transaction goes on.
            }
        case .write(let name, let content, let key, let mode):
            guard let rowClass = rows.rowClass(named: name) else { throw .unknownClass(name) }
            let isMerge = mode == .merge || mode == .update
            let draft = ObjectDraft(content, rowClass, rows, isMerge: isMerge)
            var objectKey: UInt64?
            if case .int(let number)? = key { objectKey = UInt64(bitPattern: number) }
            _ = try transaction.write(draft, objectKey: objectKey, mode: mode)
        case .delete(let identity):
            guard let rowClass = rows.rowClass(named: identity.className) else {
                throw .unknownClass(identity.className)
            }
            try transaction.delete(rowClass, key: transaction.key(of: identity, rowClass))
        case .edit(let edit, let property, let identity, let draft):
            let (path, key) = try Self.path(property, identity, transaction)
            let stated = ObjectDraft(
                draft.map { [property: $0] } ?? [:], path.rowClass, rows)
            try transaction.apply(edit.compiled(path, draft, stated), key: key)
        case .editInside(let edit, let element, let property, let identity, let draft):
            var (path, key) = try Self.path(property, identity, transaction)
            path.element = element
            let stated = draft.map { ObjectDraft([property: $0], path.rowClass, rows) }
            try transaction.apply(edit.compiled(path, stated), key: key)
        case .acknowledge(let identity):
            guard let rowClass = rows.rowClass(named: identity.className) else {
                throw .unknownClass(identity.className)
            }
            _ = try transaction.acknowledge(
                rowClass, through: transaction.key(of: identity, rowClass), countMax: 1_000)
        }
    }

    private static func path(
        _ property: String, _ identity: Identity, _ transaction: WriteTransaction
    ) throws(StoreError) -> (path: EditPath, key: UInt64) {
        guard let rowClass = transaction.catalog.rows.rowClass(named: identity.className),
            let member = rowClass.names.position(of: property)
        else { throw .unknownClass(identity.className) }
        var path = EditPath(rowClass)
        path.member = member
        return (path, try transaction.key(of: identity, rowClass))
    }
}

extension ReferenceObjects {
    /// Does operations in a transaction.
    package mutating func run(_ operations: [ObjectScript.Operation]) throws(Failure) {
        for operation in operations {
            switch operation {
            case .write(let name, let draft, let key, let mode):
                try write(name, draft, key: key, mode: mode)
            case .delete(let identity): try delete(identity)
            case .edit(let edit, let property, let identity, let draft):
                try self.edit(edit, property, of: identity, draft)
            case .editInside(let edit, let place, let property, let identity, let draft):
                try self.edit(inside: edit, of: place, property, of: identity, draft)
            case .acknowledge(let identity): try acknowledge(identity)
            case .fail: throw .abandoned
            case .attempt(let part):
                let before = self
                do throws(Failure) { try run(part) } catch { self = before }
            }
        }
    }
}

extension WriteTransaction {
    /// Applies an edit; one that finds nothing at its path abandons the transaction.
    fileprivate func apply(_ edit: ObjectEdit, key: UInt64) throws(StoreError) {
        let editor = try ObjectEditor(self, edit.path.rowClass, key: key, .none)
        do throws(EditFailure) {
            try editor.apply(edit, origin: [])
        } catch {
            if case .store(let error) = error { throw error }
            throw .refused(error)
        }
        _ = try editor.finish()
    }

    /// The object key of an identity.
    package func key(of identity: Identity, _ rowClass: RowClass) throws(StoreError) -> UInt64 {
        if rowClass.primaryKeyIndex == nil {
            guard case .int(let number) = identity.key else { throw .objectNotFound }
            return UInt64(bitPattern: number)
        }
        guard let primaryKey = OrderedKey(identity.key),
            let found = try find(rowClass, primaryKey: primaryKey)
        else { throw .objectNotFound }
        return found.key
    }
}
