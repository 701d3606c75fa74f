import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows
import HoldfastText

/// Reads the body of a transaction and collects every fault on the way.
///
/// An operation that could not be carried out alone, because its class is unknown or its value breaks
/// the schema, is answered with the status that it would get alone.
struct TransactionReader {
    let names: SchemaNames
    let reader: ObjectReader
    let operationCountMax: Int
    /// The answer for the first fault.
    private var first: (kind: RequestFault.Kind, code: String, detail: String)?
    var plan = TransactionPlan()
    var references: [ExactText: NamedReference] = [:]

    /// The members of one operation, as the body has them.
    struct Statement {
        var kind: TransactionOperation.Kind?
        var rowClass: RowClass?
        /// The projection of ``rowClass`` in the names of which the operation is stated.
        var projection: CompiledProjection?
        var id: JSONValue?
        var ifMatch: JSONValue?
        var value: JSONValue?
        var ref: String?
    }

    private static let operationMembers = [
        "op", "class", "projection", "id", "ifMatch", "value", "ref",
    ]

    private init(_ names: SchemaNames, _ reader: ObjectReader, _ operationCountMax: Int) {
        self.names = names
        self.reader = reader
        self.operationCountMax = operationCountMax
    }

    /// Reads a body.
    ///
    /// - `reader`: Its memory is used.
    /// - Throws: ``RequestFault`` with every fault; its status is that of the first.
    static func read(
        _ json: JSONValue, names: SchemaNames, reader: ObjectReader, operationCountMax: Int
    ) throws(RequestFault) -> TransactionPlan {
        var transaction = TransactionReader(names, reader, operationCountMax)
        reader.reset(operationCountMax: operationCountMax)
        defer { reader.reset(operationCountMax: operationCountMax) }
        try transaction.read(json)
        return transaction.plan
    }

    private mutating func read(_ json: JSONValue) throws(RequestFault) {
        guard json.kind == .object else {
            throw RequestFault(
                .malformed, "invalid-body",
                "The body is an object such as {\"operations\":[{\"op\":\"create\",\"class\":\"Dog\","
                    + "\"value\":{…}}]}; found \(ObjectReader.describe(json)).")
        }
        if let name = json.repeatedName {
            reader.fault(
                "duplicate-name", "'\(ObjectReader.text(name))' is stated twice.", at: name)
            note(.malformed, "duplicate-name", "A name occurs twice in the body.")
        }
        for member in json.members where !member.isNamed("operations") {
            if member.isNamed("ifVersion") {
                plan.version = member.value.string.flatMap { StoreVersion(text: $0) }
                if plan.version == nil {
                    fault(
                        .malformed, "invalid-version",
                        "'ifVersion' is a version of the store, such as the header Holdfast-Version of a "
                            + "reply has.", at: member.name)
                }
                continue
            }
            let text = ObjectReader.text(member.name)
            fault(
                .malformed, "unknown-member", "A transaction has no member '\(text)'.",
                at: member.name, hint: NearestName.of(text, among: ["operations", "ifVersion"]))
        }
        let list = json.member(named: "operations")
        guard let list, list.kind == .array else {
            fault(
                .malformed, "invalid-body", "'operations' is an array of operations.",
                at: ObjectReader.name("operations"))
            throw wholeFault()
        }
        guard list.count <= operationCountMax else {
            throw RequestFault(.tooManyOperations(limit: operationCountMax))
        }
        for (index, element) in list.elements.enumerated() { noteReference(of: element, index) }
        reader.references = references
        plan.operations.reserveCapacity(list.count)
        for (index, element) in list.elements.enumerated() {
            guard reader.mayContinue() else { break }
            reader.path = [.name(ObjectReader.name("operations")), .element(index)]
            if let operation = operation(statement(element, index)) {
                plan.operations.append(operation)
            }
        }
        if first != nil || reader.faultCount > 0 { throw wholeFault() }
    }

    /// Notes the `ref` of an operation, which links in any other operation may name, also in earlier ones.
    private mutating func noteReference(of json: JSONValue, _ index: Int) {
        guard json.kind == .object, let name = json.member(named: "ref")?.string, !name.isEmpty,
            references[name] == nil,
            json.member(named: "op")?.string != TransactionOperation.Kind.delete.rawValue
        else { return }
        let className = json.member(named: "class")?.stringBytes
        let projection = json.member(named: "projection")?.string
        references[name] = NamedReference(
            number: plan.named.count,
            classIndex: className.flatMap { names.classIndex(named: $0) }
                ?? projection.flatMap { names.projections[$0]?.rowClass.index })
        plan.named.append(index)
    }

    // MARK: Faults

    mutating func note(_ kind: RequestFault.Kind, _ code: String, _ detail: String) {
        if first == nil { first = (kind, code, detail) }
    }

    mutating func fault(
        _ kind: RequestFault.Kind, _ code: String, _ detail: String,
        at name: UnsafeRawBufferPointer? = nil, hint: String? = nil
    ) {
        note(kind, code, detail)
        reader.fault(code, detail, at: name, hint: hint)
    }

    /// The same for a fault that the rest of the service finds in the member of a name.
    mutating func fault(_ fault: RequestFault, at name: UnsafeRawBufferPointer) {
        self.fault(fault.kind, fault.code, fault.detail, at: name, hint: fault.errors.first?.hint)
    }

    private func wholeFault() -> RequestFault {
        guard let first else { return reader.fault() }
        return RequestFault(
            first.kind, first.code, FaultList.told(first.detail, of: reader.faultCount),
            errors: reader.faults,
            // The transaction's own URL is supported, whatever its operations are.
            alternatives: first.kind == .unsupportedOperation ? "POST, OPTIONS" : nil)
    }

    /// Runs the reading of a value. Its faults are reported like faults of an object's body.
    mutating func reading<Result>(_ body: () -> Result?) -> Result? {
        let before = reader.faultCount
        let hadRepeatedName = reader.hasRepeatedName
        let result = body()
        guard reader.faultCount > before else { return result }
        let fault = before < reader.faults.count ? reader.faults[before] : nil
        if reader.hasRepeatedName, !hadRepeatedName {
            note(.malformed, "duplicate-name", fault?.detail ?? "A name occurs twice in an object.")
        } else {
            note(
                .invalid, fault?.code ?? "invalid-object",
                fault?.detail ?? "The value can't be stored.")
        }
        return nil
    }

    // MARK: The members of an operation

    private mutating func statement(_ json: JSONValue, _ index: Int) -> Statement {
        var statement = Statement()
        guard json.kind == .object else {
            fault(
                .malformed, "invalid-body",
                "An operation is an object; found \(ObjectReader.describe(json)).")
            return statement
        }
        if let name = json.repeatedName {
            fault(
                .malformed, "duplicate-name", "'\(ObjectReader.text(name))' is stated twice.",
                at: name)
        }
        var ref: JSONMember?
        for member in json.members {
            if member.isNamed("op") {
                readKind(member, &statement)
            } else if member.isNamed("class") {
                readClass(member, &statement)
            } else if member.isNamed("projection") {
                readProjection(member, &statement)
            } else if member.isNamed("id") {
                statement.id = member.value
            } else if member.isNamed("ifMatch") {
                statement.ifMatch = member.value
            } else if member.isNamed("value") {
                statement.value = member.value
            } else if member.isNamed("ref") {
                ref = member
            } else {
                let text = ObjectReader.text(member.name)
                fault(
                    .malformed, "unknown-member", "An operation has no member '\(text)'.",
                    at: member.name,
                    hint: Self.foreignMembers.word(for: text, among: Self.operationMembers))
            }
        }
        if json.member(named: "op") == nil {
            fault(
                .malformed, "missing-member", "The operation lacks 'op'.",
                at: ObjectReader.name("op"))
        }
        switch (json.member(named: "class"), json.member(named: "projection")) {
        case (nil, nil):
            fault(
                .malformed, "missing-member", "The operation lacks 'class', or 'projection'.",
                at: ObjectReader.name("class"))
        case (_?, _?):
            fault(
                .malformed, "invalid-body",
                "An operation names a 'class' or a 'projection', not both; leave 'class' out.",
                at: ObjectReader.name("class"))
        default: break
        }
        if let ref { readRef(ref, index, &statement) }
        return statement
    }

    private static let foreignMembers = ForeignWords(["id": "key pk", "value": "data object body"])
    private static let foreignKinds = ForeignWords([
        "create": "insert add", "merge": "update modify", "delete": "remove",
    ])

    private mutating func readKind(_ member: JSONMember, _ statement: inout Statement) {
        let name = member.value.string
        statement.kind = name.flatMap { TransactionOperation.Kind(rawValue: $0) }
        guard statement.kind == nil else { return }
        let known = TransactionOperation.Kind.allCases.map(\.rawValue)
        fault(
            .malformed, "invalid-operation", "'op' is one of \(known.joined(separator: ", ")).",
            at: member.name,
            hint: name.flatMap { Self.foreignKinds.word(for: $0, among: known) })
    }

    private mutating func readClass(_ member: JSONMember, _ statement: inout Statement) {
        guard let name = member.value.stringBytes else {
            return fault(
                .malformed, "invalid-body", "'class' is the name of a class.", at: member.name)
        }
        do throws(RequestFault) {
            statement.rowClass = try names.creatableClass(named: name)
        } catch {
            fault(error, at: member.name)
        }
    }

    private mutating func readProjection(_ member: JSONMember, _ statement: inout Statement) {
        guard let name = member.value.string else {
            return fault(
                .malformed, "invalid-body", "'projection' is the name of a projection.",
                at: member.name)
        }
        do throws(RequestFault) {
            let projection = try names.projection(named: name)
            statement.projection = projection
            statement.rowClass = projection.rowClass
        } catch { fault(error, at: member.name) }
    }

    private mutating func readRef(
        _ member: JSONMember, _ index: Int, _ statement: inout Statement
    ) {
        guard let name = member.value.string, !name.isEmpty else {
            return fault(
                .malformed, "invalid-ref",
                "'ref' is a name that links of this transaction may use.", at: member.name)
        }
        if let other = references[name], plan.named[other.number] < index {
            return fault(
                .invalid, "duplicate-ref", "'\(name)' names another operation already.",
                at: member.name)
        }
        guard statement.kind != .delete else {
            return fault(
                .invalid, "invalid-ref", "An object that is deleted can't be referred to.",
                at: member.name)
        }
        statement.ref = name
    }
}
