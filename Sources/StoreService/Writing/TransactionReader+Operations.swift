import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows
import HoldfastText

extension TransactionReader {
    /// The operation of a statement; nil with a fault when it asks for nothing that can be done.
    mutating func operation(_ statement: Statement) -> TransactionOperation? {
        guard let kind = statement.kind, let rowClass = statement.rowClass else { return nil }
        if rowClass.isAsymmetric, !allows(statement, kind, rowClass) { return nil }
        let target = self.target(statement, kind, rowClass)
        let precondition = self.precondition(statement.ifMatch)
        var operation = TransactionOperation(
            kind: kind, rowClass: rowClass, target: target ?? .new,
            precondition: precondition ?? .none)
        operation.shown = statement.projection?.selection
        operation.number = statement.ref.flatMap { references[$0]?.number }
        if target == nil, statement.id != nil { return nil }
        if target == nil, kind == .patch || kind == .delete {
            fault(
                .malformed, "missing-member", "'\(kind.rawValue)' needs the 'id' of an object.",
                at: ObjectReader.name("id"))
            return nil
        }
        guard kind != .delete else {
            if statement.value != nil {
                fault(
                    .malformed, "invalid-body", "'delete' takes no 'value'.",
                    at: ObjectReader.name("value"))
            }
            return precondition == nil ? nil : operation
        }
        guard let value = statement.value else {
            fault(
                .malformed, "missing-member", "'\(kind.rawValue)' needs a 'value'.",
                at: ObjectReader.name("value"))
            return nil
        }
        if let projection = statement.projection {
            guard let patch = projected(value, kind, projection, target), precondition != nil
            else { return nil }
            operation.projected = patch
            operation.precondition = operation.precondition.with(version: patch.version)
            return named(&operation, patch.key, isExplicit: target != nil) ? operation : nil
        }
        if kind == .patch, value.kind == .array {
            operation.patch = patch(value, rowClass)
            return operation.patch == nil || precondition == nil ? nil : operation
        }
        guard let reading = draft(value, kind, rowClass, target) else { return nil }
        if case .named = target, let member = rowClass.primaryKeyIndex,
            reading.draft.fields[member].state != .absent
        {
            fault(
                .invalid, "key-mismatch",
                "The store makes the key of this object, so that it can't be stated; leave it out.",
                at: ObjectReader.name("value"))
            return nil
        }
        operation.draft = reading.draft
        operation.precondition = operation.precondition.with(version: reading.version)
        let key = reading.draft.primaryKey ?? reading.objectKey.map { .int(Int64(clamping: $0)) }
        guard named(&operation, key, isExplicit: target != nil) else { return nil }
        return precondition == nil ? nil : operation
    }

    /// Takes the object of an operation from its value, if the operation does not name it. Returns false, with a
    /// fault, if a missing name is required.
    private mutating func named(
        _ operation: inout TransactionOperation, _ key: Value?, isExplicit: Bool
    ) -> Bool {
        if !isExplicit, let key { operation.target = .id(key) }
        let rowClass = operation.rowClass
        guard case .new = operation.target, operation.kind == .put, rowClass.primaryKeyIndex == nil
        else { return true }
        fault(
            .invalid, "missing-key",
            "Class '\(rowClass.definition.name)' has no primary key, so 'put' needs the 'id' of an "
                + "object that is there; use 'create' to make one.", at: ObjectReader.name("id"))
        return false
    }

    /// Whether an operation is one that an asymmetric class has: to create an object that nothing refers to.
    private mutating func allows(
        _ statement: Statement, _ kind: TransactionOperation.Kind, _ rowClass: RowClass
    ) -> Bool {
        guard kind == .create else {
            fault(.asymmetricClass(rowClass), at: ObjectReader.name("op"))
            return false
        }
        let name = rowClass.definition.name
        if statement.ifMatch != nil {
            fault(
                .invalid, "precondition-not-allowed",
                "'\(name)' is an asymmetric class: its objects are never read, so leave 'ifMatch' out.",
                at: ObjectReader.name("ifMatch"))
            return false
        }
        if statement.ref != nil {
            fault(
                .invalid, "invalid-ref",
                "'\(name)' is an asymmetric class, to which nothing links; leave 'ref' out.",
                at: ObjectReader.name("ref"))
            return false
        }
        return true
    }

    /// Reads the value of an operation that is no JSON patch.
    private mutating func draft(
        _ value: JSONValue, _ kind: TransactionOperation.Kind, _ rowClass: RowClass,
        _ target: TransactionOperation.Target?
    ) -> ObjectReading? {
        let reader = reader
        let names = names
        var key: Value?
        if case .id(let id) = target { key = id }
        let path = reader.path
        defer { reader.path = path }
        reader.path.append(.name(ObjectReader.name("value")))
        return reading {
            let reading = reader.read(
                value, as: rowClass, names: names, isMerge: kind == .merge || kind == .patch,
                key: key)
            if kind == .create, reading?.objectKey != nil { reader.refuseID(element: nil) }
            return reading
        }
    }

    private mutating func patch(_ value: JSONValue, _ rowClass: RowClass) -> JSONPatch? {
        let (names, reader, countMax) = (names, reader, operationCountMax)
        return valued { () throws(RequestFault) in
            try JSONPatch(value, of: rowClass, names, reader, operationCountMax: countMax)
        }
    }

    /// Reads the value of an operation in the names of a projection.
    private mutating func projected(
        _ value: JSONValue, _ kind: TransactionOperation.Kind, _ projection: CompiledProjection,
        _ target: TransactionOperation.Target?
    ) -> ProjectedPatch? {
        var id: Value?
        if case .id(let stated) = target { id = stated }
        let form: ProjectedForm
        switch kind {
        case .create: form = .new
        case .put: form = .whole
        case .merge: form = .merge
        case .patch, .delete: form = .patch
        }
        let context = ObjectReadingContext(names, reader, operationCountMax: operationCountMax)
        return valued { () throws(RequestFault) in
            try ProjectedPatch(
                value, isJSONPatch: kind == .patch && value.kind == .array,
                of: ProjectedPatch.Subject(
                    projection: projection, rowClass: projection.rowClass, member: nil), id: id,
                as: form, context)
        }
    }

    /// Runs the reading of an operation's value and throws its faults.
    private mutating func valued<Result>(
        _ body: () throws(RequestFault) -> Result
    ) -> Result? {
        do throws(RequestFault) {
            return try body()
        } catch {
            note(error.kind, error.code, error.firstDetail)
            for fault in error.errors {
                reader.path.append(.name(ObjectReader.name("value")))
                reader.add(fault)
                reader.path.removeLast()
            }
            return nil
        }
    }

    /// Which object `id` names; nil when there is no `id` or it is refused.
    private mutating func target(
        _ statement: Statement, _ kind: TransactionOperation.Kind, _ rowClass: RowClass
    ) -> TransactionOperation.Target? {
        guard let id = statement.id else { return nil }
        let name = ObjectReader.name("id")
        if id.kind == .object, let ref = id.member(named: "$ref") {
            return named(ref, id, rowClass)
        }
        if kind == .create, rowClass.primaryKeyIndex == nil {
            fault(
                .invalid, "id-not-allowed",
                "The store chooses the \"$id\" of a new object; leave 'id' out.", at: name)
            return nil
        }
        guard let key = KeyText.value(id, of: rowClass) else {
            fault(.malformed, "wrong-key-type", KeyText.wrongType(rowClass).detail, at: name)
            return nil
        }
        return .id(key)
    }

    /// The object of an operation that comes before.
    private mutating func named(
        _ ref: JSONValue, _ id: JSONValue, _ rowClass: RowClass
    ) -> TransactionOperation.Target? {
        let name = ref.string ?? ""
        let before = plan.operations.last {
            $0.number != nil && $0.number == references[name]?.number
        }
        guard let before, id.count == 1 else {
            fault(
                .invalid, "unknown-ref",
                "An 'id' of the form {\"$ref\":…} names the 'ref' of an earlier operation.",
                at: ObjectReader.name("id"), hint: NearestName.of(name, among: references.texts))
            return nil
        }
        guard before.rowClass === rowClass else {
            fault(
                .invalid, "wrong-class",
                "'\(name)' is an object of class '\(before.rowClass.definition.name)', not "
                    + "'\(rowClass.definition.name)'.", at: ObjectReader.name("id"))
            return nil
        }
        if case .new = before.target, let number = before.number { return .named(number) }
        return before.target
    }

    /// The condition of `ifMatch`; nil when it is malformed.
    private mutating func precondition(_ json: JSONValue?) -> Precondition? {
        guard let json else { return Precondition.none }
        if let text = json.string {
            if text == "*" { return .exists }
            if let version = StoreVersion(text: text) { return .matches([version]) }
        }
        fault(
            .malformed, "invalid-version",
            "'ifMatch' is an ETag's text without quotes, such as a reply carries, or \"*\".",
            at: ObjectReader.name("ifMatch"))
        return nil
    }
}
