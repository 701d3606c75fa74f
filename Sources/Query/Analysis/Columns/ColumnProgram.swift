import HoldfastRows

/// A predicate, or those parts of it that columns can answer, made ready for chunks.
///
/// After ``bind(to:)`` any number of threads may evaluate chunks, each with a frame of its own.
package final class ColumnProgram: @unchecked Sendable {
    // Unchecked: nodes are changed by `bind` alone, which one thread calls before others get the program;
    // tests only read what they were made of.

    /// The columns that it needs.
    package let references: Set<ColumnReference>
    /// The effort of its tests of texts, by column.
    package let efforts: [ColumnReference: TextEffort]
    /// The rest, to be tested on the rows of those objects that columns do not rule out; nil for nothing.
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

    /// Makes the program ready for the columns of a snapshot. Evaluates what lies behind links.
    package func bind(to columns: BoundColumns) {
        let budget = columns.source.budget
        for object in objects where budget.spend(ObjectConstant.stepsOfLookUp) {
            object.bind(to: columns.source)
        }
        root.bind(columns)
        presence = columns.column(.presence(classIndex))
    }

    /// How many chunks there are.
    package var chunkCount: Int { presence.count }

    /// Which objects a chunk has; nil for none.
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

    /// Whether so many objects satisfy what columns answer, as far as they decide.
    ///
    /// - `budget`: Where it fails, the answer is not to be used.
    package func isMatching(_ wanted: Int, within budget: Budget) -> Bool {
        let frame = ColumnFrame(within: budget)
        var count = 0
        for chunk in 0..<chunkCount where evaluate(chunk, frame) {
            count += frame.count
            if count >= wanted || !budget.look() { return true }
        }
        return count >= wanted
    }
}
