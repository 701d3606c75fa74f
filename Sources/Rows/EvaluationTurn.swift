/// The time slices of an evaluation that shares the processors with others.
package protocol EvaluationTurn: Sendable {
    /// Called by an evaluation at each look at the clock. Blocks the calling thread while others have their turn.
    ///
    /// - Returns: False when the evaluation has to end; its results are not to be used then.
    func mayContinue() -> Bool
    /// Whether nothing else runs or waits, so that an evaluation may use further cores.
    var isAlone: Bool { get }
}
