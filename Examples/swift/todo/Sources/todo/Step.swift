import Holdfast

/// A part of a task: it belongs to that, and is deleted with it.
final class Step: EmbeddedObject {
    @Persisted var title = ""
    @Persisted var isDone = false
}
