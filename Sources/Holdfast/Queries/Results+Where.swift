extension Results {
    /// The objects that meet a condition as well.
    ///
    /// - Parameter condition: Is given the object.
    /// - Returns: Live results.
    public func `where`(_ condition: (Query<Element>) -> Query<Bool>) -> Results<Element> {
        let (text, arguments) = condition(Query()).expression.condition.rendered
        do { return Results(try core.filtered(text, QueryArguments.values(arguments, text))) } catch
        {
            Misuse.end("\(error)")
        }
    }
}
