/// A write, as the objects that became managed in it know it.
final class CreatingWrite {
    /// Whether it was taken back, and they are gone with it: others get their keys.
    var isCancelled = false
}
