import HoldfastBytes
import HoldfastJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows
import HoldfastText

/// Reads JSON objects into drafts, in the storage's own encodings, and collects every fault on the way.
///
/// Nothing is looked up in the store. One reader reads one body after the other with the same memory:
/// keep one per thread. Cost: a few tens of nanoseconds a property.
///
///     let reading = reader.read(json, as: rowClass, names: names, isMerge: false)
///     if !reader.faults.isEmpty { throw reader.fault() }
package final class ObjectReader {
    /// A step from the body's root to a value, for pointers.
    package enum Step {
        case name(UnsafeRawBufferPointer)
        case element(Int)
    }

    /// The faults that were found, in the order of the text.
    var found = FaultList()
    /// The faults that are reported.
    package var faults: [RequestFault.Entry] { found.entries }
    /// The number of faults found, including faults beyond the most that are reported.
    package var faultCount: Int { found.count }
    /// Whether a name stands twice in one object, which makes the whole body malformed.
    package var hasRepeatedName = false
    /// Whether members that a class has not are left out; else each is a fault.
    package var ignoresUnknown = false
    /// The number of members left out of the last body.
    package internal(set) var unknownCount = 0
    /// The way to the object that is being read.
    package var path: [Step] = []
    package var names: SchemaNames?
    /// The number of embedded objects around the one that is being read.
    var embeddingDepth = 0
    /// The objects that links may name by `{"$ref": …}`; nil outside of transactions.
    package var references: [ExactText: NamedReference]?
    let collection = ScalarCollectionBuilder()
    let bytes = ByteBuffer(capacity: 256)
    /// The `mixed` value that is being read.
    let mixed = ByteBuffer(capacity: 64)
    /// The pool of drafts; nil makes each draft anew.
    package var drafts: DraftPool?
    /// The budget for reading a body: its time slice and its time, as long as the client waits.
    package let budget = Budget()
    /// The most objects that one body may write.
    var operationCountMax = Int.max
    /// The number of objects that the body writes, embedded ones left out.
    var operationCount = 0
    /// The estimated bytes of memory that the drafts of the body take, beside the stated values.
    package internal(set) var draftByteCount = 0
    /// The fault for which reading was given up; nil while it was not.
    var refusal: RequestFault?
    package var isGivenUp: Bool { refusal != nil }

    package init() {}

    /// Begins the next body.
    ///
    /// - `operationCountMax`: The most objects that it may write, as a transaction.
    package func reset(operationCountMax: Int) {
        self.operationCountMax = operationCountMax
        operationCount = 0
        draftByteCount = 0
        refusal = nil
        budget.begin(until: budget.deadlineMilliseconds)
        found = FaultList()
        unknownCount = 0
        hasRepeatedName = false
        path.removeAll(keepingCapacity: true)
        embeddingDepth = 0
        references = nil
    }

    /// Reads one object, which is a write of its own. Nil, with ``faults``, if something is wrong.
    ///
    /// With `isMerge`, omitted properties, also of embedded objects, keep the stored value. `element` is the object's position in
    /// the body's array, nil when the body is the object. `key` says which object the path names: the body may leave its key out
    /// but not state another; with nil the body alone names it, and a key that it lacks is generated if its type allows.
    package func read(
        _ json: JSONValue, as rowClass: RowClass, names: SchemaNames, isMerge: Bool,
        element: Int? = nil, key: Value? = nil
    ) -> ObjectReading? {
        self.names = names
        if let element { path.append(.element(element)) }
        defer { if element != nil { path.removeLast() } }
        let before = faultCount
        guard json.kind == .object else {
            fault(
                "wrong-type",
                "Expected an object of class '\(rowClass.definition.name)', found \(Self.describe(json))."
                    + Self.patchAdvice(json))
            return nil
        }
        var reading = ObjectReading(draft: makeDraft(rowClass, isMerge: isMerge))
        var statedID: JSONValue?
        var statesVersion = false
        readMembers(json, into: reading.draft) { json in
            if json.isNamed("$id") {
                if statedID != nil { repeated(json.name) }
                statedID = json.value
                return true
            }
            if json.isNamed("$version") {
                if statesVersion { repeated(json.name) }
                statesVersion = true
                if rowClass.isAsymmetric {
                    fault(
                        "version-not-allowed",
                        "An object of an asymmetric class is new and has no \"$version\"; leave it out.",
                        at: json.name)
                    return true
                }
                reading.version = version(json.value, json.name)
                return true
            }
            return false
        }
        identify(&reading, statedID, key)
        return faultCount == before ? reading : nil
    }

    /// Reads the members of an object. `special` gets names that are no property, and says whether it knows them. `keeps` says
    /// whether the object replaces a known one, so that it can keep the properties that `"$omitted"` names.
    func readMembers(
        _ json: JSONValue, into draft: ObjectDraft,
        keeps: Bool = true, special: (JSONMember) -> Bool
    ) {
        let rowClass = draft.rowClass
        let properties = rowClass.names
        var seen = MemberSet()
        var next = 0
        var omitted: JSONValue?
        for json in json.members {
            guard let member = properties.position(of: json.name, next: next) else {
                if json.isNamed("$omitted") {
                    if omitted != nil { repeated(json.name) }
                    omitted = json.value
                    continue
                }
                if special(json) { continue }
                if ignoresUnknown { unknownCount += 1 } else { unknown(json.name, rowClass) }
                continue
            }
            next = member + 1
            if seen.contains(member) {
                repeated(json.name)
                continue
            }
            seen.insert(member)
            read(json.value, json.name, member, into: draft)
        }
        if let omitted { readOmitted(omitted, seen, keeps: keeps, into: draft) }
    }

    /// Reads the value of one property, named `name` in the body.
    package func read(
        _ json: JSONValue, _ name: UnsafeRawBufferPointer, _ member: Int, into draft: ObjectDraft
    ) {
        let compiled = draft.rowClass.members[member]
        switch compiled.storage.shape {
        case .single:
            if json.isNull {
                if compiled.isOptional { return draft.setNull(member) }
                return nullNotAllowed(name, draft.rowClass, member)
            }
            switch compiled.storage.element {
            case .link: readLink(json, name, member, into: draft)
            case .embedded: readEmbedded(json, name, member, into: draft)
            case .mixed: readMixed(json, name, member, into: draft)
            default: readScalar(json, name, member, into: draft)
            }
        case .list, .set:
            guard json.kind == .array else {
                if json.isNull { return nullNotAllowed(name, draft.rowClass, member) }
                return wrongType(json, name, draft.rowClass, member)
            }
            path.append(.name(name))
            defer { path.removeLast() }
            switch compiled.storage.element {
            case .link: readLinks(json, member, into: draft)
            case .embedded: readEmbeddedList(json, member, into: draft)
            case .mixed: readMixedValues(json, member, into: draft)
            default: readScalars(json, member, into: draft)
            }
        case .map:
            guard json.kind == .object else {
                if json.isNull { return nullNotAllowed(name, draft.rowClass, member) }
                return wrongType(json, name, draft.rowClass, member)
            }
            path.append(.name(name))
            defer { path.removeLast() }
            readMap(json, member, into: draft)
        case .none:
            fault(
                "inverse-link-read-only",
                "'\(Self.text(name))' shows which objects link here; change the property "
                    + "'\(origin(draft.rowClass, member))' of these objects instead, and leave this out.",
                at: name)
        }
    }

    private func origin(_ rowClass: RowClass, _ member: Int) -> String {
        if case .linkingObjects(let className, let property) = rowClass.definition.properties[
            member
        ].type {
            return "\(className).\(property)"
        }
        return ""
    }
}

// The limits for the drafts of one body. A body of 32 MiB can state ten million objects, and each takes a draft.
extension ObjectReader {
    /// The most bytes of memory that the drafts of one body may take, or of the lines that are imported together.
    package static let draftByteCountMax = 256 << 20

    /// The drafts take more memory.
    package static let tooLarge = RequestFault(
        .transactionTooLarge(byteCountMax: draftByteCountMax))

    /// Makes the draft of an object. It states nothing and is not to be used once reading was given up.
    ///
    /// - `isOperation`: Whether the draft counts as a write, unless it is of an embedded object.
    func makeDraft(_ rowClass: RowClass, isMerge: Bool, isOperation: Bool = true) -> ObjectDraft {
        takeMemory(ObjectDraft.byteCount(of: rowClass))
        if isOperation, rowClass.definition.kind != .embedded {
            operationCount += 1
            if operationCount > operationCountMax {
                giveUp(RequestFault(.tooManyOperations(limit: operationCountMax)))
            }
        }
        return drafts?.draft(rowClass, isMerge: isMerge) ?? ObjectDraft(rowClass, isMerge: isMerge)
    }

    /// Counts memory that the drafts of the body take, and gives the reading up where they take too much.
    func takeMemory(_ byteCount: Int) {
        draftByteCount += byteCount
        if draftByteCount > Self.draftByteCountMax { giveUp(Self.tooLarge) }
    }

    /// Whether a loop over values of the body may go on. Cost: a subtraction, and now and then a look at the clock.
    package func mayContinue() -> Bool {
        if budget.spend() { return true }
        // The fault is sent only if the time is over, not if the client has left, the server stops, or the body is read again
        // later.
        giveUp(
            RequestFault(
                .unavailable, "write-too-slow",
                "The body was not read completely in the time of a request; divide it among several, or try again.",
                retryAfterSeconds: 1))
        return false
    }

    /// Gives the reading of the body up: the loops over its values end, and ``fault()`` is this one.
    private func giveUp(_ fault: RequestFault) {
        guard refusal == nil else { return }
        refusal = fault
        self.fault(fault.code, fault.detail)
        budget.fail(.memory)
    }

    /// Reads `"$omitted"`, which names the properties that a reply left out. They keep their stored values.
    ///
    /// - `stated`: The properties that the object states.
    /// - `keeps`: Whether the stored object is known.
    func readOmitted(_ json: JSONValue, _ stated: MemberSet, keeps: Bool, into draft: ObjectDraft) {
        let rowClass = draft.rowClass
        forEachOmitted(json, of: "Class '\(rowClass.definition.name)'", rowClass.names) {
            member, name in
            // An inverse link follows from the links of others; an object does not store it.
            if rowClass.members[member].storage.shape == .none { return nil }
            if !rowClass.members[member].storage.isInHeap || member == rowClass.primaryKeyIndex {
                return ("not-omitted", "'\(name)' is never left out of a reply; state it.")
            }
            if stated.contains(member) { return Self.omittedAndStated(name) }
            guard keeps else {
                return (
                    "nothing-to-keep",
                    "An element of a list is rewritten and keeps nothing; state '\(name)', or change "
                        + "the element by its path."
                )
            }
            draft.keep(member)
            return nil
        }
    }

    /// Makes the fault of a property that an object states and names as left out.
    static func omittedAndStated(_ name: String) -> (code: String, detail: String) {
        (
            "omitted-and-stated",
            "'\(name)' is both stated and in \"$omitted\"; leave it out of one of them."
        )
    }

    /// Passes the properties that `"$omitted"` names to `body`, which returns the fault of a property.
    ///
    /// - `owner`: The owner of the properties, such as a class, as a sentence names it.
    /// - `hints`: Names that may be meant where there is no property of a name.
    func forEachOmitted(
        _ json: JSONValue, of owner: String, _ names: NameTable, hints: [String] = [],
        _ body: (_ position: Int, _ name: String) -> (code: String, detail: String)?
    ) {
        func fault(_ code: String, _ detail: String, _ index: Int? = nil, hint: String? = nil) {
            self.fault(code, detail, at: "$omitted", element: index, hint: hint)
        }
        guard json.kind == .array else {
            return fault("wrong-type", "\"$omitted\" is an array of names of properties.")
        }
        for (index, json) in json.elements.enumerated() {
            guard let text = json.stringBytes else {
                fault("wrong-type", "A name is a string; found \(Self.describe(json)).", index)
                continue
            }
            let name = Self.text(text)
            if let position = names.position(of: text) {
                if let found = body(position, name) { fault(found.code, found.detail, index) }
            } else {
                fault(
                    "unknown-property", "\(owner) has no property '\(name)'.", index,
                    hint: NearestName.of(name, among: hints))
            }
        }
    }
}

/// The object that `{"$ref": "name"}` stands for in the links of a transaction.
package struct NamedReference {
    /// The number of the object among the named ones.
    package var number: Int
    /// The position of its class; nil when that is unknown, which is a fault of its own.
    package var classIndex: Int?

    /// Describes an operation's object.
    package init(number: Int, classIndex: Int?) {
        self.number = number
        self.classIndex = classIndex
    }
}

/// The means to read bodies: the names of a schema, a reader that keeps its own faults, and how many operations a patch may have.
package struct ObjectReadingContext {
    package let names: SchemaNames
    package let reader: ObjectReader
    package let operationCountMax: Int

    /// Collects the means to read bodies.
    package init(_ names: SchemaNames, _ reader: ObjectReader, operationCountMax: Int) {
        self.names = names
        self.reader = reader
        self.operationCountMax = operationCountMax
    }
}
