import PlainQuery

/// Random queries on random objects: every plan, with columns and without, against the plainest evaluator.
struct AnswerTarget: FuzzTarget {
    static let name = "answers"

    init() {}

    mutating func round(seed: UInt64) throws {
        var run = try QueryDifferential(seed: seed)
        defer { run.close() }
        try run.run(queryCount: 150)
        try expect(run.difference == nil, run.difference ?? "")
    }
}
