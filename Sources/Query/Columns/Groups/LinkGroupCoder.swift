import Bytes
import Rows

/// Codes of what to-one links lead to: the value of a path from there is read once for each object.
final class LinkGroupCoder: NumberGroupCoder {
    /// The class of the objects whose values are read.
    let farClass: Int
    private let evaluator: SortEvaluator
    /// The calculation from the values, where they do not count whole.
    private let calculated: (walker: PathWalker, sink: GroupKeySink)?
    private var source: (any ObjectSource)?
    /// Whether a text was cut, so that sort bytes do not tell its order.
    private(set) var hasCut = false

    /// Nil for a path that does not begin with a to-one link, leads to several values, or has one where the link is null.
    ///
    /// - `part`: What of the values counts.
    init?(_ path: ValuePath, part: GroupKey.Part = .value, schema: RowSchema) {
        guard let step = path.steps.first, step.kind == .link, !path.isMany else { return nil }
        switch path.terminal {
        case .value, .elementAt, .byteCount, .byteCountAt: break
        default: return nil
        }
        let far = ValuePath(
            root: .objects(classIndex: step.toClass), steps: Array(path.steps.dropFirst()),
            terminal: path.terminal, type: path.type)
        farClass = step.toClass
        evaluator = SortEvaluator([SortKey(path: far)], schema: schema)
        calculated =
            part == .value
            ? nil
            : (PathWalker(far, schema: schema), GroupKeySink(GroupKey(path: far, part: part)))
        super.init(ColumnReference(classIndex: step.fromClass, member: step.member), .link)
    }

    override func makePart() -> GroupCoder { NumberGroupCoder(reference, .link) }

    override func bind(to columns: BoundColumns) {
        super.bind(to: columns)
        source = columns.source
    }

    override var hasEqualValues: Bool { true }

    override func append(_ code: Int, to buffer: ByteBuffer) {
        guard let key = number(code).map(UInt64.init(bitPattern:)), let source,
            let row = source.row(classIndex: farClass, key: key)
        else { return OrderedKey.appendNull(to: buffer) }
        if let (walker, sink) = calculated {
            sink.take(walker, row, key, source)
            return sink.append(0, to: buffer)
        }
        if evaluator.append(row: row, key: key, source: source, to: buffer) { hasCut = true }
    }
}
