import HoldfastObjectModel
import HoldfastRows

/// Chooses the node for each part of a predicate that columns can answer.
struct ColumnProgramBuilder {
    private let schema: RowSchema
    private let isAvailable: (ColumnReference) -> Bool
    /// Makes the tests, the same as for rows.
    private var tests: ValueTestMaker
    private(set) var references: Set<ColumnReference> = []
    /// The efforts of the tests of texts, by column.
    private(set) var efforts: [ColumnReference: TextEffort] = [:]

    init(schema: RowSchema, isAvailable: @escaping (ColumnReference) -> Bool) {
        self.schema = schema
        self.isAvailable = isAvailable
        tests = ValueTestMaker(schema: schema)
    }

    /// The objects that the nodes made so far compare with.
    var objects: [ObjectConstant] { tests.objects }

    /// Divides a predicate into the part for columns and the part for rows.
    mutating func split(_ predicate: Predicate, _ classIndex: Int) -> (ColumnNode?, Predicate?) {
        if let whole = node(predicate, classIndex) { return (whole, nil) }
        guard case .and(let parts) = predicate else { return (nil, predicate) }
        var nodes: [ColumnNode] = []
        var rest: [Predicate] = []
        for part in parts {
            if let node = node(part, classIndex) { nodes.append(node) } else { rest.append(part) }
        }
        guard !nodes.isEmpty else { return (nil, predicate) }
        return (nodes.count == 1 ? nodes[0] : .and(nodes), Predicate.conjunction(rest))
    }

    /// The node for a whole predicate; nil when columns can't answer it.
    private mutating func node(_ predicate: Predicate, _ classIndex: Int) -> ColumnNode? {
        switch predicate {
        case .constant(let truth): return .constant(truth)
        case .not(let part): return node(part, classIndex).map { .not($0) }
        case .and(let parts): return chain(parts, isOr: false, classIndex)
        case .or(let parts):
            return chain(MatchNodeBuilder.mergingEqualities(parts), isOr: true, classIndex)
        case .comparison(let comparison): return node(comparison, classIndex)
        case .within: return nil
        }
    }

    private mutating func chain(
        _ parts: [Predicate], isOr: Bool, _ classIndex: Int
    ) -> ColumnNode? {
        let before = (references, efforts)
        var nodes: [ColumnNode] = []
        for part in parts {
            guard let node = node(part, classIndex) else {
                (references, efforts) = before
                return nil
            }
            nodes.append(node)
        }
        return nodes.count == 1 ? nodes[0] : isOr ? .or(nodes) : .and(nodes)
    }

    private mutating func node(_ comparison: Comparison, _ classIndex: Int) -> ColumnNode? {
        guard let compared = ComparedPath(comparison),
            let (reference, isCollection) = column(of: compared.path, classIndex)
        else { return nil }
        let test = tests.test(compared)
        guard ColumnKernel.canUse(test) else { return nil }
        let path = compared.path
        var node = self.test(
            reference, isCollection ? compared.quantifier ?? .any : nil, path.type.storage, test)
        for (index, step) in path.steps.enumerated().reversed() {
            let link = ColumnReference(classIndex: step.fromClass, member: step.member)
            references.formUnion([link, .presence(step.toClass)])
            node = .link(
                ColumnLink(
                    link, linkedClass: step.toClass, node,
                    rowNode(path.behind(index + 1), reference.member, test),
                    nullResult: test.nullResult))
        }
        return node
    }

    /// The column of a path's value: a property of the object itself, or a single value behind to-one links; nil without one.
    private func column(
        of path: ValuePath, _ classIndex: Int
    ) -> (reference: ColumnReference, isCollection: Bool)? {
        guard case .objects(classIndex) = path.root, path.type != .kinds else { return nil }
        for step in path.steps {
            guard step.kind == .link,
                isAvailable(ColumnReference(classIndex: step.fromClass, member: step.member)),
                isAvailable(.presence(step.toClass))
            else { return nil }
        }
        let member: Int
        let isCollection: Bool
        switch path.terminal {
        case .value(let own): (member, isCollection) = (own, false)
        case .elements(let own) where path.steps.isEmpty: (member, isCollection) = (own, true)
        default: return nil
        }
        let reference = ColumnReference(classIndex: path.lastClass, member: member)
        guard let form = ColumnForm(schema.classes[path.lastClass].members[member].storage),
            isAvailable(reference)
        else { return nil }
        let keepsCollections = if case .collections = form { true } else { false }
        return keepsCollections == isCollection ? (reference, isCollection) : nil
    }

    private mutating func test(
        _ reference: ColumnReference, _ quantifier: Quantifier?, _ storage: ElementStorage,
        _ test: ValueTest
    ) -> ColumnNode {
        let made = ColumnTest(reference, quantifier, storage, test)
        references.insert(reference)
        if ColumnForm.isText(storage) {
            efforts[reference, default: TextEffort()].add(made.kernel.form)
        }
        return .test(made)
    }

    /// Makes the test of the row of an object that a path starts from.
    private func rowNode(_ path: ValuePath, _ member: Int, _ test: ValueTest) -> MatchNode {
        FollowNode(path, member: member, test, schema: schema)
            ?? FieldNode(schema.classes[path.lastClass], member, test)
    }
}

/// A predicate, or the parts of it that columns can answer, compiled for chunks.
///
/// After ``bind(to:)`` any number of threads may evaluate chunks, each with a frame of its own.
package final class ColumnProgram: @unchecked Sendable {
    // Unchecked: nodes are changed by `bind` alone, which one thread calls before others get the program;
    // tests only read their constants.

    /// The columns that it needs.
    package let references: Set<ColumnReference>
    /// The effort of its tests of texts, by column.
    package let efforts: [ColumnReference: TextEffort]
    /// The rest, to be tested on the rows of objects that columns do not rule out; nil without a rest.
    package let residual: Predicate?
    private let root: ColumnNode
    private let classIndex: Int
    private let objects: [ObjectConstant]
    private var presence: [ColumnChunk?] = []

    /// Prepares a predicate, or all objects at nil; nil itself when columns can answer no part of it.
    ///
    /// - `isAvailable`: Whether a column may be used.
    package init?(
        _ predicate: Predicate?, classIndex: Int, schema: RowSchema,
        isAvailable: @escaping (ColumnReference) -> Bool
    ) {
        self.classIndex = classIndex
        var builder = ColumnProgramBuilder(schema: schema, isAvailable: isAvailable)
        let (node, residual) = builder.split(predicate ?? .constant(true), classIndex)
        guard let node, isAvailable(.presence(classIndex)) else { return nil }
        root = node
        self.residual = residual
        references = builder.references.union([.presence(classIndex)])
        efforts = builder.efforts
        objects = builder.objects
    }

    /// Prepares the program for the columns of a snapshot. Evaluates conditions behind links.
    package func bind(to columns: BoundColumns) {
        let budget = columns.source.budget
        for object in objects where budget.spend(ObjectConstant.stepsOfLookUp) {
            object.bind(to: columns.source)
        }
        root.bind(columns)
        presence = columns.column(.presence(classIndex))
    }

    package var chunkCount: Int { presence.count }

    /// The objects of a chunk; nil without any.
    package func objects(of chunk: Int) -> PresenceChunk? {
        chunk < presence.count ? presence[chunk] as? PresenceChunk : nil
    }

    /// Evaluates a chunk into the frame's masks; false when it has no objects.
    package func evaluate(_ chunk: Int, _ frame: ColumnFrame) -> Bool {
        guard let present = objects(of: chunk) else { return false }
        frame.begin()
        root.evaluate(chunk, frame, into: frame.mask)
        present.restrict(frame.mask)
        frame.restrictUndecided(present)
        return true
    }

    /// Whether that many objects satisfy the part for columns, as far as it decides.
    ///
    /// - `budget`: Where it fails, the answer is not to be used.
    package func isMatching(_ wanted: Int, within budget: Budget) -> Bool {
        let frame = ColumnFrame(within: budget)
        var count = 0
        for chunk in 0..<chunkCount where evaluate(chunk, frame) {
            count += frame.count
            if count >= wanted || !budget.checkLimits() { return true }
        }
        return count >= wanted
    }
}

/// The amount of text that the tests of a program read in a column. It mostly determines the cost of a scan.
package struct TextEffort: Equatable, Sendable {
    /// The number of comparisons of all hashes with one; the bytes of fitting texts are counted separately.
    package var hashPassCount = 0
    /// How many times all bytes are searched at once.
    package var searchCount = 0
    /// How many times each text is tested by itself.
    package var testCount = 0

    /// Adds the text that a test of the form `form` reads.
    mutating func add(_ form: ColumnKernel.Form) {
        switch form {
        case .fixed: break
        case .texts(let texts, _, _): hashPassCount += texts.count
        case .contains: searchCount += 1
        case .each, .numbers, .numberSet, .textsUpTo: testCount += 1
        }
    }
}
