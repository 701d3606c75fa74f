import PlainQuery

/// Random queries, by every plan, with columns and without, on stores of which rows, index entries and
/// other entries are damaged.
struct DamagedAnswerTarget: FuzzTarget {
    static let name = "damaged-answers"

    init() {}

    mutating func round(seed: UInt64) throws {
        var run = DamagedAnswers(seed: seed)
        try run.run(roundCount: 25)
    }
}
