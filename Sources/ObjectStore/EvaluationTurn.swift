/// The share of the processors that an evaluation has among others.
package protocol EvaluationTurn: Sendable {
    /// Asked where an evaluation looks at the clock. Blocks the calling thread while it is others' turn.
    ///
    /// - Returns: False when the evaluation has to end; what it has found is not to be used then.
    func mayContinue() -> Bool
    /// Whether nothing else runs or waits, so that an evaluation may use further cores.
    var isAlone: Bool { get }
}
