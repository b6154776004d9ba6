pluginManagement {
    repositories {
        gradlePluginPortal()
        mavenCentral()
    }
}

dependencyResolutionManagement {
    repositories {
        mavenCentral()
    }
}

rootProject.name = "konduit-queue"

include(
    "konduit-queue-test-support",
    "konduit-queue-core",
    "konduit-queue-spring-boot-starter",
    "konduit-queue-test",
    "konduit-queue-sample",
)
